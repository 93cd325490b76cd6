import { mount } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'
import { withDirectives, h } from 'vue'

import { vSideways } from './sideways'

describe('what scrolls sideways', () => {
  it('says at which edge there is more', async () => {
    const wrapper = mount({ render: () => withDirectives(h('div', [h('table')]), [[vSideways]]) })
    const box = wrapper.element as HTMLElement
    const seen = async (scrollWidth: number, scrollLeft: number): Promise<string | undefined> => {
      for (const [name, value] of Object.entries({ scrollWidth, scrollLeft, clientWidth: 100 }))
        Object.defineProperty(box, name, { value, configurable: true })
      await wrapper.trigger('scroll')
      return box.dataset['more']
    }
    expect(await seen(100, 0)).toBeUndefined()
    expect(await seen(300, 0)).toBe('right')
    expect(await seen(300, 100)).toBe('both')
    expect(await seen(300, 200)).toBe('left')
    wrapper.unmount()
  })
})
