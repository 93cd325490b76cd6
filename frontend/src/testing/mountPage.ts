/** Mounts a component with everything that the application provides: stores, texts, addresses. */
import { flushPromises, mount, type VueWrapper } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { onTestFinished } from 'vitest'
import { defineComponent, h, type Component } from 'vue'
import { createMemoryHistory, RouterView, type Router } from 'vue-router'

import { createPages } from '../app/router'
import { createTexts } from '../i18n'

export interface Mounted {
  wrapper: VueWrapper
  router: Router
}

/**
 * @param component the component, or null for the page of the address
 * @param address the address of the browser
 */
export async function mountPage(component: Component | null, address = '/runs', language = 'en'): Promise<Mounted> {
  const pinia = createPinia()
  setActivePinia(pinia)
  const router = createPages(createMemoryHistory())
  await router.push(address)
  const root = component ?? defineComponent({ render: () => h(RouterView) })
  const wrapper = mount(root, { attachTo: document.body, global: { plugins: [pinia, router, createTexts(language)] } })
  onTestFinished(() => wrapper.unmount())
  await flushPromises()
  return { wrapper, router }
}

/** Presses a key on the focused element, as a person would. */
export function pressKey(
  key: string,
  init: KeyboardEventInit = {},
  target: EventTarget = document.body,
): KeyboardEvent {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...init })
  target.dispatchEvent(event)
  return event
}
