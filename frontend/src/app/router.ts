/** Addresses of the pages. The base comes from <base href>, which the server writes. */
import { createRouter, createWebHistory, type RouteRecordRaw, type RouterHistory } from 'vue-router'

import type { IconName } from '../components/display/icons'

declare module 'vue-router' {
  interface RouteMeta {
    /** Translation key of the page's name, for the breadcrumb and the window title. */
    title?: string
    /** The page's icon. Pages with an icon are in the rail and in the command palette, in the order of the routes. */
    icon?: IconName
    /** The key after `g` that opens the page. Its description is `app.shortcuts.goNAME`. */
    key?: string
    /** Whether the shell shows the run column beside the page. */
    runColumn?: boolean
    /** Whether the shell shows the step strip. */
    stepStrip?: boolean
    /** Whether, on a cold page, the parts beside it wait until its first card shows something. */
    cardsFirst?: boolean
  }
}

export const routes: RouteRecordRaw[] = [
  { path: '/', redirect: (to) => ({ name: 'runs', query: to.query }) },
  {
    path: '/runs',
    name: 'runs',
    component: () => import('../pages/runs/RunsPage.vue'),
    meta: { title: 'app.page.runs', icon: 'runs', key: 'r', stepStrip: true },
  },
  {
    path: '/overview',
    name: 'overview',
    component: () => import('../pages/overview/OverviewPage.vue'),
    meta: { title: 'app.page.overview', icon: 'overview', key: 'o', stepStrip: true },
  },
  {
    path: '/scalars',
    name: 'scalars',
    component: () => import('../pages/scalars/ScalarsPage.vue'),
    meta: { title: 'app.page.scalars', icon: 'scalars', key: 's', runColumn: true, stepStrip: true, cardsFirst: true },
  },
  {
    path: '/distributions',
    name: 'distributions',
    component: () => import('../pages/distributions/DistributionsPage.vue'),
    meta: { title: 'app.page.distributions', icon: 'distributions', key: 'd', runColumn: true, stepStrip: true },
  },
  {
    path: '/images',
    name: 'images',
    component: () => import('../pages/images/ImagesPage.vue'),
    meta: { title: 'app.page.images', icon: 'images', key: 'i', runColumn: true, stepStrip: true },
  },
  {
    path: '/tensors',
    name: 'tensors',
    component: () => import('../pages/tensors/TensorsPage.vue'),
    meta: { title: 'app.page.tensors', icon: 'tensors', key: 't', stepStrip: true },
  },
  {
    path: '/graph',
    name: 'graph',
    component: () => import('../pages/graph/GraphPage.vue'),
    meta: { title: 'app.page.graph', icon: 'graph', key: 'g', stepStrip: true },
  },
  {
    path: '/lineage',
    name: 'lineage',
    component: () => import('../pages/lineage/LineagePage.vue'),
    meta: { title: 'app.page.lineage', icon: 'lineage', key: 'l', stepStrip: true },
  },
  {
    path: '/debugger',
    name: 'debugger',
    component: () => import('../pages/debugger/DebuggerPage.vue'),
    meta: { title: 'app.page.debugger', icon: 'debugger', key: 'b', stepStrip: true },
  },
  {
    path: '/profiler',
    name: 'profiler',
    component: () => import('../pages/profiler/ProfilerPage.vue'),
    meta: { title: 'app.page.profiler', icon: 'profiler', key: 'p' },
  },
  {
    path: '/pipeline',
    name: 'pipeline',
    component: () => import('../pages/pipeline/PipelinePage.vue'),
    meta: { title: 'app.page.pipeline', icon: 'pipeline', key: 'a' },
  },
  {
    path: '/text',
    name: 'text',
    component: () => import('../pages/text/TextPage.vue'),
    meta: { title: 'app.page.text', icon: 'text', key: 'x', runColumn: true, stepStrip: true },
  },
  {
    path: '/settings',
    name: 'settings',
    component: () => import('../pages/settings/SettingsPage.vue'),
    meta: { title: 'app.page.settings', icon: 'cog' },
  },
]

const notFound: RouteRecordRaw = {
  path: '/:path(.*)*',
  name: 'not-found',
  component: () => import('./NotFoundPage.vue'),
  meta: { title: 'app.page.notFound' },
}

if (import.meta.env.DEV) {
  routes.push({
    path: '/gallery',
    name: 'gallery',
    component: () => import('../pages/gallery/GalleryPage.vue'),
    meta: { title: 'app.page.gallery' },
  })
}
routes.push(notFound)

/** The browser history below the dashboard's path. */
export function browserHistory(): RouterHistory {
  return createWebHistory(new URL(document.baseURI).pathname)
}

export const loadRunColumn = () => import('./runColumn/RunColumn.vue')

export function createPages(history: RouterHistory) {
  const router = createRouter({ history, routes })
  // Loaded together with the page's own code.
  router.beforeEach((to) => {
    if (to.meta.runColumn) loadRunColumn().catch(() => undefined)
  })
  router.beforeResolve(async (to) => {
    if (to.meta.runColumn) await loadRunColumn()
  })
  return router
}
