import { expect, it } from 'vitest'
import { createMemoryHistory } from 'vue-router'

import { messagesOf } from '.'
import { createPages, routes } from '../app/router'
import { createTextsWithPages } from './withPages'

it.each(['en', 'zh-CN'])(
  'has every text of a page once it is open (%s)',
  async (language) => {
    const router = createPages(createMemoryHistory())
    const { te, t, getLocaleMessage } = createTextsWithPages(language, router).global
    expect(te('app.skip')).toBe(true)
    expect([te('settings.theme.title'), te('charts.name')]).toEqual([false, false])
    const all = messagesOf(language)
    for (const name of routes.flatMap((route) =>
      typeof route.name === 'string' && route.name in all ? [route.name] : [],
    )) {
      await router.push({ name })
      const [first] = Object.entries(all[name] as Record<string, unknown>).filter(
        ([, text]) => typeof text === 'string',
      )
      if (first) expect(t(`${name}.${first[0]}`), name).not.toBe(`${name}.${first[0]}`)
    }
    expect(getLocaleMessage(language)).toMatchObject(all)
    // All pages are fetched, which a busy machine takes its time for.
  },
  30_000,
)

it('has a route for the texts of every page', () => {
  const folders = Object.keys(import.meta.glob('../pages/*/texts/en.json')).map((path) => path.split('/').at(-3))
  expect(routes.map((route) => route.name)).toEqual(expect.arrayContaining(folders))
})
