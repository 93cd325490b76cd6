/** Rules for TypeScript and Vue files; texts must come from src/**\/texts, never from a template. */
import { readdirSync } from 'node:fs'

import vueI18n from '@intlify/eslint-plugin-vue-i18n'
import imports from 'eslint-plugin-import-x'
import vue from 'eslint-plugin-vue'
import accessibility from 'eslint-plugin-vuejs-accessibility'
import typescript from 'typescript-eslint'

import { functionLines } from './functionLines.js'

/** The rooms of src/, the lowest first: a room knows only those below it, by types too. */
const FLOORS = [
  ['design'],
  ['data'],
  ['components'],
  ['queries', 'recorded'],
  ['charts'],
  ['graphs', 'tensors'],
  ['scaffold'],
  ['comparison'],
  ['pages'],
  ['app'],
]

/** Zones of `import-x/no-restricted-paths`: from a room to those beside it and above it, and from page to page. */
const zones = [
  ...FLOORS.slice(0, -1).flatMap((rooms, floor) =>
    rooms.map((room) => ({
      target: `./src/${room}`,
      from: [...rooms.filter((other) => other !== room), ...FLOORS.slice(floor + 1).flat()].map(
        (other) => `./src/${other}`,
      ),
      message: `"${room}" is below that room, or beside it.`,
    })),
  ),
  ...readdirSync(new URL('src/pages', import.meta.url)).map((page) => ({
    target: `./src/pages/${page}`,
    from: './src/pages',
    except: [`./${page}`],
    message: 'No page knows another: what two pages need lives in a room of its own.',
  })),
]

export default [
  { ignores: ['node_modules/', 'dist/', 'src/data/schema.d.ts', 'public/', '*.json', 'mutations/.sandbox/'] },
  { languageOptions: { parserOptions: { tsconfigRootDir: import.meta.dirname } } },
  ...typescript.configs.strict,
  ...vue.configs['flat/strongly-recommended'],
  ...vueI18n.configs.recommended,
  ...accessibility.configs['flat/recommended'],
  {
    plugins: { 'import-x': imports },
    settings: {
      'import-x/extensions': ['.ts', '.vue'],
      'import-x/resolver-next': [imports.createNodeResolver({ extensions: ['.ts', '.vue', '.d.ts'] })],
    },
  },
  {
    // The limits of the Python code, in `tools/limits.py`, hold here too.
    files: ['**/*.{js,ts,vue}'],
    plugins: { limits: { rules: { 'function-lines': functionLines } } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      'max-lines': ['error', { max: 500 }],
      complexity: ['error', { max: 15, variant: 'modified' }],
      'limits/function-lines': ['error', { max: 50, withNested: 140 }],
    },
  },
  {
    settings: {
      'vue-i18n': {
        localeDir: { pattern: './src/**/texts/*.json', localeKey: 'file' },
        messageSyntaxVersion: '^11.0.0',
      },
    },
  },
  {
    files: ['**/*.vue'],
    languageOptions: { parserOptions: { parser: typescript.parser } },
  },
  {
    files: ['src/**/*.{ts,vue}'],
    rules: {
      // An input lies within its label, or is named by it.
      'vuejs-accessibility/label-has-for': [
        'error',
        { required: { some: ['nesting', 'id'] }, controlComponents: ['ListboxFilter', 'RangeInput', 'SourceSelect'] },
      ],
      'vuejs-accessibility/heading-has-content': ['error', { accessibleChildren: ['RunName', 'I18nT'] }],
      // A list has the focus and the keys for its rows, which it names by aria-activedescendant.
      'vuejs-accessibility/click-events-have-key-events': 'off',
      'vuejs-accessibility/interactive-supports-focus': 'off',
      // A frame around controls answers to keys and pointers that bubble up from them.
      'vuejs-accessibility/no-static-element-interactions': 'off',
      'vue/max-len': [
        'error',
        {
          code: 120,
          template: 120,
          ignoreUrls: true,
          ignoreRegExpLiterals: true,
        },
      ],
      '@intlify/vue-i18n/no-raw-text': ['error', { ignorePattern: '^[\\s\\p{P}\\p{S}0-9]*$', ignoreNodes: ['kbd'] }],
      '@intlify/vue-i18n/no-missing-keys': 'error',
      // Line breaking in templates is left to the writer.
      'vue/max-attributes-per-line': 'off',
      'vue/singleline-html-element-content-newline': 'off',
      'vue/multiline-html-element-content-newline': 'off',
      'vue/html-self-closing': ['error', { html: { void: 'any', normal: 'any', component: 'always' } }],
      'vue/html-indent': 'off',
      'vue/html-closing-bracket-newline': 'off',
      'vue/multi-word-component-names': 'off',
      'vue/require-default-prop': 'off',
      // A static style attribute is refused by the content security policy where Vue inserts it as HTML.
      'vue/no-static-inline-styles': 'error',
      'vue/no-v-html': 'error',
      'vue/block-lang': ['error', { script: { lang: 'ts' } }],
      'vue/component-api-style': ['error', ['script-setup']],
      'no-console': 'error',
      'no-restricted-syntax': [
        'error',
        { selector: "AssignmentExpression[left.property.name='innerHTML']", message: 'Build nodes, never HTML text.' },
      ],
      eqeqeq: 'error',
    },
  },
  {
    // Seen by developers only.
    files: ['src/pages/gallery/**'],
    rules: { '@intlify/vue-i18n/no-raw-text': 'off' },
  },
  {
    files: ['**/*.test.ts'],
    rules: {
      '@intlify/vue-i18n/no-missing-keys': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      'vue/one-component-per-file': 'off',
      // The tests of one thing are the body of one function.
      'limits/function-lines': 'off',
    },
  },
  {
    files: ['src/**/*.{ts,vue}'],
    ignores: ['**/*.test.ts', '**/testing/**', '**/testing.ts'],
    rules: { 'import-x/no-restricted-paths': ['error', { zones }] },
  },
]
