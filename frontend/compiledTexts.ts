/**
 * A Vite plugin that compiles the texts while the pages are built: a browser otherwise compiles each message when it
 * is first shown, which took a tenth of the time to the first page, and would have to load the compiler.
 */
import { baseCompile } from '@intlify/message-compiler'
import type { Plugin } from 'vite'

type Texts = { [name: string]: string | Texts }

/** What stands for something in a message; a text without any stays as it is. */
const SYNTAX = /[{}@|%]/

function compiled(texts: Texts): object {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => {
      if (typeof text !== 'string') return [name, compiled(text)]
      return [name, SYNTAX.test(text) ? baseCompile(text, { jit: true, minify: true, location: false }).ast : text]
    }),
  )
}

export function compiledTexts(): Plugin {
  return {
    name: 'compiled-texts',
    apply: 'build',
    enforce: 'pre',
    config: () => ({ define: { __INTLIFY_DROP_MESSAGE_COMPILER__: 'true' } }),
    transform: {
      filter: { id: /\/texts\/[\w-]+\.json$/ },
      handler: (code) => ({ code: JSON.stringify(compiled(JSON.parse(code) as Texts)), map: null }),
    },
  }
}
