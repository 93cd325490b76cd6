/**
 * The node that somebody chose as the beginning of a way; the way begins when another node is chosen. Used by
 * FollowPart.vue.
 */
import { shallowRef } from 'vue'

export const start = shallowRef<{ graph: string; node: number; name: string } | null>(null)
