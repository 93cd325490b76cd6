import { mount } from '@vue/test-utils'
import { describe, expect, it, vi } from 'vitest'

import { createTexts } from '../../i18n'
import CopyButton from './CopyButton.vue'
import SearchField from './SearchField.vue'
import Segmented from './Segmented.vue'

const global = { plugins: [createTexts('en')] }

describe('Segmented', () => {
  const choices = [
    { value: 'one', text: 'One' },
    { value: 'two', text: 'Two' },
    { value: 'three', text: 'Three' },
  ]

  it('is one stop of the Tab key, and arrows move the choice around', async () => {
    const wrapper = mount(Segmented, { props: { choices, label: 'Count', modelValue: 'one' }, attachTo: document.body })
    expect(wrapper.findAll('[tabindex="0"]')).toHaveLength(1)
    await wrapper.findAll('button')[0].trigger('keydown', { key: 'ArrowLeft' })
    expect(wrapper.emitted('update:modelValue')).toEqual([['three']])
    expect(document.activeElement?.textContent.trim()).toBe('Three')
    wrapper.unmount()
  })
})

describe('SearchField', () => {
  it('is emptied by Escape, then left', async () => {
    const wrapper = mount(SearchField, {
      props: { label: 'Filter', modelValue: 'lss', hint: '/' },
      attachTo: document.body,
      global,
    })
    const input = wrapper.get('input')
    input.element.focus()
    await input.trigger('keydown', { key: 'Escape' })
    expect(wrapper.emitted('update:modelValue')).toEqual([['']])
    await wrapper.setProps({ modelValue: '' })
    expect(wrapper.find('kbd').text()).toBe('/')
    await input.trigger('keydown', { key: 'Escape' })
    expect(document.activeElement).not.toBe(input.element)
    wrapper.unmount()
  })
})

describe('CopyButton', () => {
  const copy = async (writeText: () => Promise<void>) => {
    vi.stubGlobal('isSecureContext', true)
    vi.stubGlobal('navigator', { clipboard: { writeText } })
    document.execCommand = vi.fn(() => false)
    const wrapper = mount(CopyButton, { props: { text: 'code' }, global })
    await wrapper.trigger('click')
    return wrapper
  }

  it('says that it has copied', async () => {
    const writeText = vi.fn(() => Promise.resolve())
    const wrapper = await copy(writeText)
    expect(writeText).toHaveBeenCalledWith('code')
    await vi.waitFor(() => expect(wrapper.text()).toBe('Copied'))
  })

  it('says when the browser does not allow it', async () => {
    const wrapper = await copy(() => Promise.reject(new Error('denied')))
    await vi.waitFor(() => expect(wrapper.text()).toBe('Not allowed'))
  })
})
