/** Downloads a file in the browser. Called by everything that can be saved. */
export function saveFile(content: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  // Some browsers begin to read a moment later.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}
