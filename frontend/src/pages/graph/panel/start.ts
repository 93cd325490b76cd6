/** The first node of a path, which is complete when a second node is chosen. Used by FollowPart.vue. */
import { shallowRef } from 'vue'

export const start = shallowRef<{ graph: string; node: number; name: string } | null>(null)
