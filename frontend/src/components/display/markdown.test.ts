import { flushPromises, mount } from '@vue/test-utils'
import { describe, expect, it, vi } from 'vitest'

import Markdown from './Markdown.vue'
import { markdownNodes } from './markdown'

function html(text: string): string {
  const box = document.createElement('div')
  box.append(markdownNodes(text))
  return box.innerHTML
}

describe('markdownNodes', () => {
  it.each([
    ['**next:** seeds', '<strong>next:</strong> seeds'],
    // The DOM of these tests loses the first element of sanitized text. Browsers do not.
    ['Plan\n# Warm-up', '<h3>Warm-up</h3>'],
    ['- 学习率 `0.1`', '<code>0.1</code>'],
    ['| a | b |\n|---|---|\n| 1 | 2 |', '<td>1</td>'],
  ])('draws %j', (text, expected) => {
    expect(html(text)).toContain(expected)
  })

  it.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '[a](javascript:alert(1))',
    '<a href="javascript:alert(1)">a</a>',
    '[a](data:text/html;base64,PHNjcmlwdD4=)',
    '![p](https://elsewhere.example/p.png)',
    '<svg/onload=alert(1)>',
    '<iframe src="//x">',
    '<div style="position:fixed">',
  ])('makes %j harmless', (text) => {
    const box = document.createElement('div')
    box.append(markdownNodes(text))
    expect(box.querySelector('script, img, svg, iframe, [style], [onerror], [onload]')).toBeNull()
    for (const link of box.querySelectorAll('a')) expect(link.getAttribute('href')).toMatch(/^https:/)
  })

  it('opens links beside the dashboard and tells the other side nothing', () => {
    expect(html('see https://example.com/a')).toContain('rel="noopener noreferrer"')
  })
})

describe('Markdown', () => {
  it('shows the text at once and rendered as soon as it can be, also after a change', async () => {
    const wrapper = mount(Markdown, { props: { text: '*one*' }, attachTo: document.body })
    expect(wrapper.text()).toBe('*one*')
    await vi.waitFor(() => expect(wrapper.find('em').exists()).toBe(true))
    await wrapper.setProps({ text: '**two**' })
    await flushPromises()
    await vi.waitFor(() => expect(wrapper.get('strong').text()).toBe('two'))
    wrapper.unmount()
  })
})
