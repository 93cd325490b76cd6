/** Finds untranslated texts: written directly in a template, or equal in both languages. */
import { parse, type AttributeNode, type DirectiveNode, type RootNode, type TemplateChildNode } from '@vue/compiler-dom'
import { expect, it } from 'vitest'

import { messagesOf, type Messages } from '.'

const sources = import.meta.glob<string>(['../**/*.vue', '!../pages/gallery/**'], {
  eager: true,
  query: '?raw',
  import: 'default',
})

const LETTERS = /\p{L}{2,}/u
const SPOKEN = new Set([
  'title',
  'label',
  'alt',
  'placeholder',
  'aria-label',
  'aria-description',
  'aria-valuetext',
  'aria-roledescription',
])
/** Key labels are the same in every language. */
const UNTRANSLATED_ELEMENTS = new Set(['kbd', 'code', 'script', 'style'])
/** A binding with only a text: `:title="'Close'"`. */
const LITERAL = /^\s*(['"`])([^'"`$]*)\1\s*$/

function inAttribute(attribute: AttributeNode | DirectiveNode): string[] {
  if (attribute.type === 6) {
    const { content = '' } = attribute.value ?? {}
    return SPOKEN.has(attribute.name) && LETTERS.test(content) ? [content] : []
  }
  if (attribute.name !== 'bind') return []
  const name = attribute.arg?.type === 4 ? attribute.arg.content : ''
  const written = LITERAL.exec(attribute.exp?.type === 4 ? attribute.exp.content : '')?.[2] ?? ''
  return SPOKEN.has(name) && LETTERS.test(written) ? [written] : []
}

/** The texts of a template without translation. */
function words(node: RootNode | TemplateChildNode): string[] {
  if (node.type === 2) return LETTERS.test(node.content) ? [node.content.trim()] : []
  if (node.type === 5) {
    const written = LITERAL.exec(node.content.type === 4 ? node.content.content : '')?.[2] ?? ''
    return LETTERS.test(written) ? [written] : []
  }
  if (node.type === 1) {
    if (UNTRANSLATED_ELEMENTS.has(node.tag)) return []
    return [...node.props.flatMap(inAttribute), ...node.children.flatMap(words)]
  }
  return node.type === 0 ? node.children.flatMap(words) : []
}
const inTemplate = (source: string): string[] => words(parse(source, { parseMode: 'sfc' }))

it('sees words in a template', () => {
  const source = `<template><p title="Close it" :aria-label="'Open'">
    Save {{ t('a.b') }} <kbd>Esc</kbd> {{ 'now' }} <b>{{ n }} %</b>
  </p></template>`
  expect(inTemplate(source)).toEqual(['Close it', 'Open', 'Save', 'now'])
})

it.each(Object.keys(sources))('%s has its words from the texts', (path) => {
  expect(inTemplate(sources[path])).toEqual([])
})

/** Equal in English and Chinese: names, formats, units, mathematical signs. */
const NAMES =
  /^(MindInsight|MindSpore|TensorBoard|PyTorch|TensorFlow|Keras|Markdown|English|简体中文|Language|语言|NaN|Infinity?|Inf|PNG|SVG|CSV|JSON|TSV|LaTeX|NumPy|npy|URL|EMA|MSE|KS|SSIM|std|px|dpi|kB|MB|GB|Esc|Ctrl|Python|shape|dtype|fp16|bf16|int8|rtol|atol|ULP|min|max|mean|p|x|y|z|log|symlog|abs|rel|step|n|s|ms|or|and|raw|id|ID|summaries|EN|host|pid)$/i

function flat(tree: Messages, prefix = ''): [string, string][] {
  return Object.entries(tree).flatMap(([key, value]) =>
    typeof value === 'string' ? [[prefix + key, value] as [string, string]] : flat(value, `${prefix}${key}.`),
  )
}

it('has another text in Chinese wherever English has words', () => {
  const chinese = new Map(flat(messagesOf('zh-CN')))
  const same = flat(messagesOf('en')).filter(([key, english]) => {
    const letters = english.replaceAll(/\{[^}]*\}/g, ' ').match(/[a-z]{2,}/gi) ?? []
    return chinese.get(key) === english && letters.some((word) => !NAMES.test(word))
  })
  expect(same).toEqual([])
})

it('has no English left in Chinese sentences', () => {
  const left = flat(messagesOf('zh-CN')).filter(([, text]) => {
    const plain = text.replaceAll(/\{[^}]*\}/g, ' ')
    // Three English words in succession are a forgotten sentence.
    return !/\p{Script=Han}/u.test(plain) && /[a-z]{2,} [a-z]{2,} [a-z]{2,}/i.test(plain)
  })
  expect(left).toEqual([])
})
