/** How TypeScript, Vue and style files are laid out. */
export default {
  printWidth: 120,
  semi: false,
  singleQuote: true,
  bracketSameLine: false,
}
