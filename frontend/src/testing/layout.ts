/** happy-dom has no layout. Lists that mount only visible rows need one: call this in beforeEach. */
import { vi } from 'vitest'

export function giveElementsSize(width = 1200, height = 600): void {
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(width)
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(height)
}
