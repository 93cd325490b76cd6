/** Starts the pages in the browser. */
import { createPinia } from 'pinia'
import { createApp } from 'vue'

import App from './app/App.vue'
import { usePreferences } from './scaffold/preferences'
import { browserHistory, createPages } from './app/router'
import { holdBack } from './data/firstView'
import { readAhead } from './data/ahead'
import './design/base.css'
import { createTextsWithPages } from './i18n/withPages'

readAhead()
const app = createApp(App)
app.use(createPinia())
const history = browserHistory()
const pages = createPages(history)
if (pages.resolve(history.location).meta.cardsFirst) holdBack()
app.use(createTextsWithPages(usePreferences().language, pages))
app.use(pages)
// In a separate task: parsing the shell's code and drawing it both take long.
setTimeout(() => app.mount('#app'))
