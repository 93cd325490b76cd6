/** Short notes at the foot of the window that disappear by themselves: "Link copied". A note may offer an undo. */
import { defineStore } from 'pinia'
import { ref } from 'vue'

export interface ToastAction {
  text: string
  run: () => void
}

export interface Toast {
  id: number
  text: string
  action: ToastAction | null
}

const STAYS = 5000
/** Long enough to reconsider. */
const STAYS_WITH_ACTION = 10_000

export const useToasts = defineStore('toasts', () => {
  const toasts = ref<Toast[]>([])
  let last = 0
  const timers = new Map<number, number>()

  function dismiss(id: number): void {
    hold(id)
    toasts.value = toasts.value.filter((toast) => toast.id !== id)
  }

  /** Stays while the pointer is over it or it has the focus. */
  function hold(id: number): void {
    window.clearTimeout(timers.get(id))
    timers.delete(id)
  }

  function letGo({ id, action }: Toast): void {
    hold(id)
    timers.set(
      id,
      window.setTimeout(() => dismiss(id), action ? STAYS_WITH_ACTION : STAYS),
    )
  }

  /** Shows a text for five seconds, or for ten with an action. Choosing the action removes it. */
  function show(text: string, action: ToastAction | null = null): number {
    const toast = { id: ++last, text, action }
    toasts.value = [...toasts.value.slice(-2), toast]
    letGo(toast)
    return toast.id
  }

  return { toasts, show, dismiss, hold, letGo }
})
