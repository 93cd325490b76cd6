/**
 * All commands of the command palette: pages, runs, tags of the visible runs, actions. They are fetched and built while
 * the palette is open.
 */
import { computed, shallowReactive, shallowRef, watch, type ComputedRef, type Ref } from 'vue'
import { useI18n } from 'vue-i18n'
import { useRouter } from 'vue-router'

import { byName, exactly } from '../../components/lists/tagNames'
import type { IconName } from '../../components/display/icons'
import { api, ask } from '../../data/api'
import { runRow } from '../../data/rows'
import { useRuns } from '../../data/runs/runs'
import type { RunRow } from '../../data/types'
import { LANGUAGES, THEMES, usePreferences } from '../../scaffold/preferences'
import { routes } from '../router'
import { shortcuts } from '../../scaffold/shortcuts'
import { usePageLinks } from '../../scaffold/viewState'

export const KINDS = ['page', 'run', 'shown', 'scalar', 'distribution', 'image', 'tensor', 'text', 'action'] as const
export type Kind = (typeof KINDS)[number]

export interface Command {
  /** Identifies it among the recent commands, across reloads. */
  id: string
  kind: Kind
  title: string
  /** Names that other dashboards give it, in small letters. */
  aliases?: readonly string[]
  icon: IconName
  /** Important to know before choosing it: pages do not draw a hidden run. */
  note?: string
  /** Its keyboard shortcut. */
  keys?: string
  /** Runs it. False means that it is not possible at the moment. */
  run: () => unknown
}

/** The page of a kind of tags, and the address of the list of its tags. */
const TAG_KINDS = [
  { kind: 'scalar', page: 'scalars', icon: 'scalars' },
  { kind: 'distribution', page: 'distributions', icon: 'distributions' },
  { kind: 'image', page: 'images', icon: 'images' },
  { kind: 'tensor', page: 'tensors', icon: 'tensors' },
  { kind: 'text', page: 'text', icon: 'text' },
] as const satisfies readonly { kind: Kind; page: string; icon: IconName }[]

/** The names that other dashboards give the content of a page. */
const ALIASES: Partial<Record<string, readonly string[]>> = {
  scalars: ['time series', 'metrics'],
  distributions: ['histograms'],
  graph: ['profile', 'profiler', 'operator time'],
  lineage: ['hparams', 'hyperparameters', 'parallel coordinates'],
  profiler: ['trace viewer'],
  pipeline: ['minddata', 'data loading', 'dataloader', 'input pipeline', 'bottleneck', 'input-bound', 'data-bound'],
}

/** Names of kinds that other dashboards have pages for. The overview says what of them was recorded. */
const ALSO_RECORDED = ['projector', 'embeddings', 'pr curves', 'precision recall', 'audio', 'mesh', 'meshes']

const MOST_RUNS = 10_000
const SEARCH_AFTER = 150
const SHORT_ID = 8

type OtherKind = Exclude<(typeof TAG_KINDS)[number]['kind'], 'scalar'>

/** Fetches the tags of a kind, of some runs or of all. */
const ASK: Record<OtherKind, (query: { runs?: string }) => Promise<{ tags: readonly { name: string }[] }>> = {
  distribution: (query) => ask(api.GET('/api/distributions/tags', { params: { query } })),
  image: (query) => ask(api.GET('/api/images/tags', { params: { query } })),
  tensor: (query) => ask(api.GET('/api/tensors/tags', { params: { query } })),
  text: (query) => ask(api.GET('/api/text/tags', { params: { query } })),
}

/** Names of histograms, images, tensors and texts of the visible runs. */
function useOtherTags() {
  const runs = useRuns()
  const names = shallowReactive<Partial<Record<OtherKind, readonly string[]>>>({})
  async function load(): Promise<void> {
    const query = runs.visible.size === runs.rows.length ? {} : { runs: [...runs.visible].join(',') }
    await Promise.all(
      Object.entries(ASK).map(async ([kind, of]) => {
        // Tags that cannot be fetched are missing from the list. Their page will say why.
        const found = await of(query).catch(() => ({ tags: [] }))
        names[kind as OtherKind] = found.tags.map(({ name }) => name)
      }),
    )
  }
  return { names, load }
}

/** Runs that only the server knows, if it has more than this page. */
function useFarRuns(typed: Readonly<Ref<string>>) {
  const runs = useRuns()
  const far = shallowRef<readonly RunRow[]>([])
  let timer: ReturnType<typeof setTimeout> | undefined
  let turn = 0
  watch(typed, (text) => {
    clearTimeout(timer)
    const mine = ++turn
    far.value = []
    if (!text.trim() || runs.rows.length < MOST_RUNS) return
    timer = setTimeout(() => {
      ask(api.GET('/api/runs', { params: { query: { search: text.trim(), limit: 20 } } }))
        .then(
          ({ results }) =>
            void (mine === turn && (far.value = results.map(runRow).filter((row) => !runs.byNumber.has(row.number)))),
        )
        .catch(() => undefined) // The runs that are already here are still found.
    }, SEARCH_AFTER)
  })
  return far
}

export interface Commands {
  /** All commands by kind. */
  all: ComputedRef<Record<Kind, Command[]>>
  /** Fetches missing commands. */
  load: () => Promise<void>
}

function action(name: string, title: string, run: () => unknown, icon: IconName): Command {
  return { id: `action:${name}`, kind: 'action', title, icon, run }
}

export function useCommands(typed: Readonly<Ref<string>>): Commands {
  const { t } = useI18n()
  const router = useRouter()
  const runs = useRuns()
  const preferences = usePreferences()
  const linkTo = usePageLinks()
  const { names, load } = useOtherTags()
  const far = useFarRuns(typed)

  const alsoRecorded = (): Command => ({
    id: 'page:overview:also',
    kind: 'page',
    title: t('app.palette.alsoRecorded'),
    aliases: ALSO_RECORDED,
    icon: 'overview',
    note: t('app.page.overview'),
    run: () => router.push(linkTo('overview')),
  })
  const ofRoutes = (): Command[] =>
    routes.flatMap(({ name, meta }) => {
      if (typeof name !== 'string' || !meta?.icon || !meta.title) return []
      const command: Command = {
        id: `page:${name}`,
        kind: 'page',
        title: t(meta.title),
        aliases: ALIASES[name] ?? [],
        icon: meta.icon,
        run: () => router.push(linkTo(name)),
      }
      return meta.key === undefined ? [command] : [{ ...command, keys: `g ${meta.key}` }]
    })
  const pages = computed<Command[]>(() => [...ofRoutes(), alsoRecorded()])

  function runCommand(row: RunRow): Command {
    const run = (): unknown => {
      const { name, query } = linkTo('runs')
      return router.push({
        name,
        query: { ...query, shelf: row.marks.archived ? 'archived' : undefined, run: row.id.slice(0, SHORT_ID) },
      })
    }
    const command: Command = { id: `run:${row.id}`, kind: 'run', title: row.name, icon: 'runs', run }
    if (row.marks.archived) return { ...command, note: t('app.palette.archived') }
    return runs.isVisible(row.number) ? command : { ...command, note: t('app.palette.hidden') }
  }
  /** Archived runs too, after the others. */
  const runCommands = computed(() =>
    [...runs.rows, ...[...runs.byNumber.values()].filter(({ marks }) => marks.archived), ...far.value].map(runCommand),
  )

  /**
   * Shows a hidden run and hides a shown one, on any page. Listed only after typing, because there is one for each run.
   */
  const shownCommands = computed<Command[]>(() => {
    if (!typed.value.trim()) return []
    // A text is built once, not ten thousand times.
    const [show, hide] = (['show', 'hide'] as const).map((what) => t(`app.edit.runs.${what}`, { name: '\0' }))
    return runs.rows.map(({ id, number, name }) => {
      const visible = runs.isVisible(number)
      return {
        id: `shown:${id}`,
        kind: 'shown',
        title: (visible ? hide : show).replace('\0', () => name),
        icon: 'eye',
        run: () => runs.toggle(number),
      }
    })
  })

  const scalarNames = computed(() => {
    void runs.seriesSet
    return [...new Set([...runs.allSeries()].flatMap((row) => (runs.isVisible(row.run) ? [row.name] : [])))].sort(
      byName,
    )
  })
  function tagCommands(of: Kind, tags: readonly string[]): Command[] {
    const known = TAG_KINDS.find(({ kind, page }) => kind === of && router.hasRoute(page))
    if (!known) return []
    const open = (tag: string): unknown => {
      const { name, query } = linkTo(known.page)
      return router.push({ name, query: { ...query, tag: exactly(tag) } })
    }
    return tags.map((tag) => ({ id: `${of}:${tag}`, kind: of, title: tag, icon: known.icon, run: () => open(tag) }))
  }
  const ofOther = (kind: OtherKind): Command[] => tagCommands(kind, names[kind] ?? [])

  const actions = computed<Command[]>(() => {
    const registered = shortcuts
      .available()
      .filter(
        ({ text }, at, all) =>
          text !== 'app.shortcuts.palette' &&
          !text.startsWith('app.shortcuts.go') &&
          all.findIndex((one) => one.text === text) === at,
      )
      .map((one): Command => {
        const command: Command = {
          id: `action:${one.text}`,
          kind: 'action',
          title: t(one.text),
          icon: 'play',
          run: () => one.run(),
        }
        return one.keys.length ? { ...command, keys: one.keys[0] } : command
      })
    return [
      ...registered,
      action('showAll', t('app.edit.runs.all'), runs.showAll, 'eye'),
      ...THEMES.map((theme) =>
        action(
          `theme.${theme}`,
          t('app.palette.theme', { theme: t(`app.theme.${theme}`) }),
          () => (preferences.theme = theme),
          theme === 'dark' ? 'moon' : 'sun',
        ),
      ),
      ...LANGUAGES.map((language) =>
        action(
          `language.${language}`,
          t(`app.palette.language.${language}`),
          () => (preferences.language = language),
          'system',
        ),
      ),
      ...(['compact', 'normal'] as const).map((density) =>
        action(
          `density.${density}`,
          t(`app.palette.density.${density}`),
          () => (preferences.density = density),
          'runs',
        ),
      ),
    ]
  })

  const all = computed<Record<Kind, Command[]>>(() => ({
    page: pages.value,
    run: runCommands.value,
    shown: shownCommands.value,
    scalar: tagCommands('scalar', scalarNames.value),
    distribution: ofOther('distribution'),
    image: ofOther('image'),
    tensor: ofOther('tensor'),
    text: ofOther('text'),
    action: actions.value,
  }))
  return { all, load }
}
