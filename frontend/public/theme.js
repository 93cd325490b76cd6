// Blocking on purpose: sets theme, density and language before the first paint, so nothing flashes.
// The names of the stored values are those of src/app/preferences.ts.
;(function () {
  var root = document.documentElement
  function stored(name) {
    try {
      return localStorage.getItem('mindinsight.' + name)
    } catch {
      return null
    }
  }
  var theme = stored('theme')
  if (theme !== 'light' && theme !== 'dark') {
    theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
  }
  root.dataset.theme = theme
  root.dataset.density = stored('density') === 'normal' ? 'normal' : 'compact'
  var language = stored('language')
  if (language !== 'en' && language !== 'zh-CN') {
    language = /^zh\b/i.test(navigator.language || '') ? 'zh-CN' : 'en'
  }
  root.lang = language
})()
