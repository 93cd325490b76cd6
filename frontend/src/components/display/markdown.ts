/**
 * Renders Markdown from untrusted sources as harmless nodes. A lazy chunk: Markdown.vue loads it with the first text.
 * HTML in the text is shown as text, and the output of markdown-it is sanitized too.
 */
import DOMPurify from 'dompurify'
import MarkdownIt from 'markdown-it'

const TAGS = [
  'a',
  'blockquote',
  'br',
  'code',
  'del',
  'em',
  'h3',
  'h4',
  'h5',
  'h6',
  'hr',
  'li',
  'ol',
  'p',
  'pre',
  's',
  'strong',
  'table',
  'tbody',
  'td',
  'th',
  'thead',
  'tr',
  'ul',
]
/** The page has its own h1 and h2. */
const DEEPER = 2

const markdown = new MarkdownIt({ html: false, linkify: true, breaks: true, typographer: false })
  // Pictures would be loaded from any host that the text names, so only a link is shown.
  .disable('image')

markdown.core.ruler.push('deeper_headings', (state) => {
  for (const token of state.tokens) {
    if (!token.type.startsWith('heading_')) continue
    token.tag = `h${Math.min(6, Number(token.tag.slice(1)) + DEEPER)}`
  }
})

/** Renders a text for insertion into the page. */
export function markdownNodes(text: string): DocumentFragment {
  const nodes = DOMPurify.sanitize(markdown.render(text), {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ['href', 'title', 'start'],
    RETURN_DOM_FRAGMENT: true,
  })
  for (const link of nodes.querySelectorAll('a')) {
    link.target = '_blank'
    link.rel = 'noopener noreferrer'
  }
  for (const table of nodes.querySelectorAll('table, pre')) table.setAttribute('tabindex', '0')
  return nodes
}
