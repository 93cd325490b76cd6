/** Rules for TypeScript and Vue files; texts must come from src/**\/texts, never from a template. */
import vueI18n from '@intlify/eslint-plugin-vue-i18n'
import vue from 'eslint-plugin-vue'
import typescript from 'typescript-eslint'

export default [
  { ignores: ['node_modules/', 'dist/', 'src/data/schema.d.ts', 'public/', '*.json'] },
  ...typescript.configs.strict,
  ...vue.configs['flat/strongly-recommended'],
  ...vueI18n.configs.recommended,
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
    },
  },
]
