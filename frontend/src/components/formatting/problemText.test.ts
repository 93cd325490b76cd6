import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { mount } from '@vue/test-utils'
import { describe, expect, it } from 'vitest'

import { ApiProblem } from '../../data/types'
import { createTexts } from '../../i18n'
import ErrorState from '../feedback/ErrorState.vue'

/** `Problem("code"`, `error_body("code"`, the gate's `Answer(403, "code"` and the codes by the condition of a disk. */
const CODES = /(?:"(?:full|read_only|failing)": |\b(?:Problem|error_body)\(\s*|\b[45]\d\d,\s*)"([a-z_]+)"/g

function serverCodes(): string[] {
  const folder = resolve('../mindinsight')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.py'))
  const found = files.flatMap((name) =>
    [...readFileSync(join(folder, name), 'utf8').matchAll(CODES)].map((match) => match[1]),
  )
  return [...new Set(found)].sort()
}

function shown(language: string, problem: ApiProblem): string {
  const page = mount(ErrorState, { props: { title: 'Title', problem }, global: { plugins: [createTexts(language)] } })
  const text = page.get('p:not(.title)').text()
  page.unmount()
  return text
}

describe('the codes of the server', () => {
  it('are found in its sources', () => {
    expect(serverCodes()).toEqual(
      expect.arrayContaining([
        'bad_parameter',
        'body_too_large',
        'disk_full',
        'disk_read_only',
        'not_found',
        'run_not_found',
        'server_error',
        'too_many_series',
        'wrong_token',
      ]),
    )
  })

  it.each([...serverCodes(), 'unreachable', 'unexpected_answer', 'bad_frame'])(
    'have words for %s in both languages',
    (code) => {
      const texts = ['en', 'zh-CN'].map((language) =>
        shown(language, new ApiProblem(code, 'The server said this.', { reason: '1' }, 500)),
      )
      expect(texts).not.toContain('The server said this.')
      expect(texts[1]).toMatch(/\p{Script=Han}/u)
    },
  )
})

describe('what a query should have', () => {
  const table = readFileSync(resolve('../mindinsight/runs/search/errors.py'), 'utf8')
  const codes = [...table.matchAll(/^ {4}"([a-z_]+)": "/gm)].map((match) => match[1])
  const asked = (language: string, code: string): string =>
    shown(
      language,
      new ApiProblem(
        'bad_query',
        '…',
        {
          parameter: 'query',
          position: 3,
          expected: 'untranslated',
          expected_code: code,
          expected_values: { most: 64, choices: 'a, b', quote: '"', sign: "';'" },
        },
        400,
      ),
    )

  it('is found in the sources of the server', () => {
    expect(codes).toEqual(expect.arrayContaining(['number', 'closing_quote', 'most_conditions']))
  })

  it.each(codes)('has words for %s in both languages', (code) => {
    const texts = ['en', 'zh-CN'].map((language) => asked(language, code))
    expect(texts.join()).not.toMatch(/untranslated|[{}]/)
    expect(texts[1].split('应为')[1]).toMatch(/\p{Script=Han}/u)
  })

  it('keeps the words of the server where nobody translated them', () => {
    expect(asked('zh-CN', 'no_such_code')).toContain('untranslated')
  })
})

describe('a failure', () => {
  it('names what the server named', () => {
    const problem = new ApiProblem('foreign_host', '…', { host: 'gpu7:8080' }, 400)
    expect(shown('en', problem)).toContain('MINDINSIGHT_ALLOWED_HOSTS=gpu7:8080')
  })

  it.each(['en', 'zh-CN'])('that nobody translated keeps the words of the server (%s)', (language) => {
    expect(shown(language, new ApiProblem('database_locked', 'The database is locked.', {}, 500))).toBe(
      'The database is locked.',
    )
  })
})

describe('a failure', () => {
  const page = (code: string, detail = {}) =>
    mount(ErrorState, {
      props: { title: 'Title', problem: new ApiProblem(code, 'The server said this.', detail, 422) },
      global: { plugins: [createTexts('en')] },
    })
  it('has its details folded, and consoles only if the connection is lost', () => {
    const failed = page('server_error')
    expect(failed.get('details').attributes('open')).toBeUndefined()
    expect(failed.get('details pre').text()).toContain('"code": "server_error"')
    expect(failed.text()).not.toContain('Your training is not affected')
    expect(page('unreachable').text()).toContain('Your training is not affected')
  })
  it('never has an empty reason', () => {
    expect(page('tensor_unreadable', { file: 'a', offset: 1 }).text()).toContain('The server said this.')
    expect(page('tensor_unreadable', { file: 'a', offset: 1, reason: 'holds strings' }).text()).toContain(
      'the value holds strings (a, byte 1)',
    )
  })
})
