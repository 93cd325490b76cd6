import { mount } from '@vue/test-utils'
import { describe, expect, it, vi } from 'vitest'
import { defineComponent, h } from 'vue'
import { createMemoryHistory, createRouter, RouterView, type Router } from 'vue-router'

import { choiceParam, sharedQuery, textParam, useQueryParam, type QueryParam } from './viewState'

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5))

const count: QueryParam<number> = {
  default: 1,
  parse: (text) => (/^\d+$/.test(text) ? Number(text) : undefined),
  format: String,
}

async function setUp(address: string) {
  let params!: { text: ReturnType<typeof useQueryParam<string>>; count: ReturnType<typeof useQueryParam<number>> }
  const Page = defineComponent({
    setup() {
      params = { text: useQueryParam('q', textParam), count: useQueryParam('n', count) }
      return () => h('p', `${params.text.value}|${params.count.value}`)
    },
  })
  const Other = defineComponent({ render: () => h('p', 'other') })
  const router: Router = createRouter({
    history: createMemoryHistory(),
    routes: [
      { path: '/', component: Page },
      { path: '/other', component: Other },
    ],
  })
  await router.push(address)
  const wrapper = mount(defineComponent({ render: () => h(RouterView) }), { global: { plugins: [router] } })
  return { wrapper, router, params }
}

describe('useQueryParam', () => {
  it('reads the address and falls back where a text means nothing', async () => {
    const { wrapper } = await setUp('/?q=adam&n=x')
    expect(wrapper.text()).toBe('adam|1')
  })

  it('shows a written value at once and writes the address in one navigation', async () => {
    const { wrapper, router, params } = await setUp('/?q=a&keep=1')
    const replace = vi.spyOn(router, 'replace')
    params.text.value = 'b'
    params.count.value = 4
    expect(params.text.value).toBe('b')
    await settled()
    expect(replace).toHaveBeenCalledOnce()
    expect(router.currentRoute.value.query).toEqual({ q: 'b', n: '4', keep: '1' })
    expect(wrapper.text()).toBe('b|4')
  })

  it('drops a parameter that has its standard value', async () => {
    const { router, params } = await setUp('/?n=4&q=a')
    params.count.value = 1
    params.text.value = ''
    await settled()
    expect(router.currentRoute.value.fullPath).toBe('/')
  })

  it('writes again what was set while it was writing', async () => {
    const { router, params } = await setUp('/')
    params.count.value = 2
    await Promise.resolve()
    params.count.value = 3
    await settled()
    expect(router.currentRoute.value.query).toEqual({ n: '3' })
  })

  it('does not stop a navigation on its way, nor write to the page behind it', async () => {
    const { router, params } = await setUp('/')
    params.text.value = 'late'
    void router.push('/other')
    await settled()
    expect(router.currentRoute.value.fullPath).toBe('/other')
  })
})

it('knows choices by their words', () => {
  const param = choiceParam(['auto', 'log'])
  expect(param.default).toBe('auto')
  expect(param.parse('log')).toBe('log')
  expect(param.parse('cubic')).toBeUndefined()
})

it('passes on only what every page understands', () => {
  expect(sharedQuery({ runs: 'all', at: '5', q: 'adam' })).toEqual({ runs: 'all', at: '5' })
})
