/* Finds repeated sub-structures of a graph: colours nodes, grows occurrences in lock step, matches a pattern elsewhere.
 *
 * library.py calls it with the columns of a work graph (../work.py). ../loops.py does the same in Python, much more
 * slowly, and the tests compare the two. The caller checks all arrays: the ends of edges are from 0 to n - 1.
 */

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

#ifndef SOURCE
#define SOURCE ""
#endif

enum { LEAF = 1, CONTROL_CLASS = 1 << 20, UNORDERED_CLASS = (1 << 20) + 1, WIDEST_GROWN = 64 };

/* The columns of a work graph. Edges are numbered by consumer and port; `out_edge` lists them by source and key. */
struct graph {
    int64_t nodes, edges;
    const int32_t *label;
    const int64_t *in_ptr;
    const int32_t *in_src, *in_dst, *in_slot, *in_class;
    const int64_t *out_ptr;
    int32_t *out_edge;
    uint64_t *in_key, *out_key; /* out_key has the order of out_edge */
    uint8_t *in_tie, *out_tie;  /* whether only a rank makes the key unique */
    const uint8_t *flags;
    const int32_t *home;   /* the consumer of a leaf */
    const int32_t *region; /* growth stays in one region and never enters -1 */
    int32_t *owner, *place; /* scratch; owner is -1 outside a call */
};

/* Occurrences: `size` rows of `count` nodes. */
struct found {
    int32_t size, count;
    int32_t *nodes;
};

EXPORT const char *repeats_source(void) { return "repeats.c " SOURCE; }

EXPORT void release(struct found *found) {
    free(found->nodes);
    found->nodes = NULL;
}

static inline uint64_t mix(uint64_t x) {
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

static inline uint64_t mix3(uint64_t a, uint64_t b, uint64_t c) { return mix(a ^ mix(b ^ mix(c))); }

/* One round of colours. A node's new colour is a hash of its own, of its inputs' by port, and of its consumers'. A node
 * with very many inputs or consumers passes on its label only: else one change would reach the whole graph. */
EXPORT void colour_round(const struct graph *g, const uint64_t *before, uint64_t *after, int32_t widest_in,
                         int32_t widest_out) {
    for (int64_t v = 0; v < g->nodes; v++) {
        uint64_t sum = mix(before[v]);
        int64_t first = g->in_ptr[v], last = g->in_ptr[v + 1];
        if (last - first <= widest_in)
            for (int64_t e = first; e < last; e++) {
                int64_t s = g->in_src[e];
                bool wide = g->out_ptr[s + 1] - g->out_ptr[s] > widest_out;
                uint64_t colour = wide ? mix((uint64_t)g->label[s]) : before[s];
                sum += mix3(colour, (uint64_t)g->in_class[e], (uint64_t)(g->in_slot[e] * 2));
            }
        first = g->out_ptr[v], last = g->out_ptr[v + 1];
        if (last - first <= widest_out)
            for (int64_t o = first; o < last; o++) {
                int64_t e = g->out_edge[o], d = g->in_dst[e];
                bool wide = g->in_ptr[d + 1] - g->in_ptr[d] > widest_in;
                uint64_t colour = wide ? mix((uint64_t)g->label[d]) : before[d];
                sum += mix3(colour, (uint64_t)g->in_class[e], (uint64_t)(g->in_slot[e] * 2 + 1));
            }
        after[v] = mix(sum);
    }
}

/* -- keys ------------------------------------------------------------------------------------------------------- */

struct ranked {
    uint64_t base, near, middle, far;
    int32_t edge;
    int32_t other;
};

static int by_rank(const void *left, const void *right) {
    const struct ranked *a = left, *b = right;
    if (a->base != b->base) return a->base < b->base ? -1 : 1;
    if (a->near != b->near) return a->near < b->near ? -1 : 1;
    if (a->middle != b->middle) return a->middle < b->middle ? -1 : 1;
    if (a->far != b->far) return a->far < b->far ? -1 : 1;
    if (a->other != b->other) return a->other < b->other ? -1 : 1;
    return a->edge < b->edge ? -1 : a->edge > b->edge;
}

static int by_key(const void *left, const void *right) {
    const struct ranked *a = left, *b = right;
    return a->near < b->near ? -1 : a->near > b->near;
}

static void rank_keys(struct ranked *rows, int64_t count) {
    if (count > 1) qsort(rows, (size_t)count, sizeof *rows, by_rank);
    uint64_t rank = 0;
    for (int64_t i = 0; i < count; i++) {
        rank = i && rows[i].base == rows[i - 1].base ? rank + 1 : 0;
        rows[i].far = rank || (i + 1 < count && rows[i + 1].base == rows[i].base); /* a tie */
        rows[i].middle = rank;
    }
    for (int64_t i = 0; i < count; i++) rows[i].near = mix(rows[i].base + rows[i].middle);
}

/* Gives every edge two keys, one for its source and one for its consumer. A key is a hash of the neighbour's label and
 * the port. Edges with equal hashes also have a rank, by colours of growing radius. Equal neighbourhoods have equal
 * keys. */
EXPORT int make_keys(struct graph *g, const uint64_t *near, const uint64_t *middle, const uint64_t *far) {
    int64_t widest = 1;
    for (int64_t v = 0; v < g->nodes; v++) {
        int64_t in = g->in_ptr[v + 1] - g->in_ptr[v], out = g->out_ptr[v + 1] - g->out_ptr[v];
        widest = in > widest ? in : widest;
        widest = out > widest ? out : widest;
    }
    struct ranked *rows = malloc((size_t)widest * sizeof *rows);
    if (!rows) return -1;
    for (int64_t v = 0; v < g->nodes; v++) {
        int64_t first = g->in_ptr[v], count = g->in_ptr[v + 1] - first, unordered = 0;
        for (int64_t i = 0; i < count; i++) {
            int64_t e = first + i;
            int32_t s = g->in_src[e];
            if (g->in_class[e] < CONTROL_CLASS) {
                g->in_key[e] = mix((uint64_t)g->in_class[e]);
                g->in_tie[e] = 0;
                continue;
            }
            uint64_t base = mix3((uint64_t)g->in_class[e], (uint64_t)g->label[s], (uint64_t)g->in_slot[e]);
            rows[unordered++] = (struct ranked){base, near[s], middle[s], far[s], (int32_t)e, s};
        }
        rank_keys(rows, unordered);
        for (int64_t i = 0; i < unordered; i++) {
            g->in_key[rows[i].edge] = rows[i].near;
            g->in_tie[rows[i].edge] = (uint8_t)rows[i].far;
        }
        first = g->out_ptr[v], count = g->out_ptr[v + 1] - first;
        for (int64_t i = 0; i < count; i++) {
            int32_t e = g->out_edge[first + i], d = g->in_dst[e];
            uint64_t base = mix3((uint64_t)g->in_class[e], (uint64_t)g->label[d], (uint64_t)g->in_slot[e] + (1u << 30));
            rows[i] = (struct ranked){base, near[d], middle[d], far[d], e, d};
        }
        rank_keys(rows, count);
        if (count > 1) qsort(rows, (size_t)count, sizeof *rows, by_key);
        for (int64_t i = 0; i < count; i++) {
            g->out_edge[first + i] = rows[i].edge;
            g->out_key[first + i] = rows[i].near;
            g->out_tie[first + i] = (uint8_t)rows[i].far;
        }
    }
    free(rows);
    return 0;
}

/* -- growth ----------------------------------------------------------------------------------------------------- */

struct step {
    uint64_t key;
    int32_t from;
    uint8_t out, tie;
};

struct queue {
    struct step *steps;
    int64_t head, count, room;
};

static bool push(struct queue *q, struct step step) {
    if (q->count == q->room) {
        int64_t room = q->room ? 2 * q->room : 256;
        struct step *grown = realloc(q->steps, (size_t)room * sizeof *grown);
        if (!grown) return false;
        q->steps = grown, q->room = room;
    }
    q->steps[q->count++] = step;
    return true;
}

/* The neighbour of `node` at the edge with this key; -1 if there is none. */
static inline int32_t neighbour(const struct graph *g, int32_t node, uint64_t key, bool out) {
    if (!out) {
        for (int64_t e = g->in_ptr[node]; e < g->in_ptr[node + 1]; e++)
            if (g->in_key[e] == key) return g->in_src[e];
        return -1;
    }
    int64_t low = g->out_ptr[node], high = g->out_ptr[node + 1];
    while (low < high) {
        int64_t half = (low + high) / 2;
        if (g->out_key[half] < key) low = half + 1;
        else high = half;
    }
    if (low < g->out_ptr[node + 1] && g->out_key[low] == key) return g->in_dst[g->out_edge[low]];
    return -1;
}

/* A hash of the edges between a node and the nodes that its occurrence already has, independent of their order. */
static inline uint64_t wiring(const struct graph *g, int32_t node, int32_t owner) {
    uint64_t sum = 1;
    for (int64_t e = g->in_ptr[node]; e < g->in_ptr[node + 1]; e++) {
        int32_t s = g->in_src[e];
        if (g->owner[s] == owner)
            sum += mix3((uint64_t)g->place[s], (uint64_t)g->in_class[e], (uint64_t)(g->in_slot[e] * 2));
    }
    for (int64_t o = g->out_ptr[node]; o < g->out_ptr[node + 1]; o++) {
        int32_t e = g->out_edge[o], d = g->in_dst[e];
        if (g->owner[d] == owner)
            sum += mix3((uint64_t)g->place[d], (uint64_t)g->in_class[e], (uint64_t)(g->in_slot[e] * 2 + 1));
    }
    return sum;
}

static inline bool may_join(const struct graph *g, int32_t node, int32_t from, int32_t root) {
    if (node < 0 || g->owner[node] >= 0 || g->region[node] != g->region[root]) return false;
    return !(g->flags[node] & LEAF) || g->home[node] == from;
}

struct growth {
    struct graph *g;
    int32_t **rows; /* by place: one node per occurrence */
    int32_t size, room, count;
    int32_t *alive, left;
    struct queue main, ties, stuck;
    uint64_t *seen;
    int64_t seen_count, seen_room;
    int64_t budget;
    uint64_t *votes;
    int32_t *vote_count;
    int32_t *candidates;
    uint64_t *signs;
};

static bool is_new(struct growth *w, struct step s) {
    if (2 * (w->seen_count + 1) > w->seen_room) {
        int64_t room = w->seen_room ? 2 * w->seen_room : 1024;
        uint64_t *grown = calloc((size_t)room, sizeof *grown);
        if (!grown) return false;
        for (int64_t i = 0; i < w->seen_room; i++)
            if (w->seen[i]) {
                int64_t at = (int64_t)(w->seen[i] & (uint64_t)(room - 1));
                while (grown[at]) at = (at + 1) & (room - 1);
                grown[at] = w->seen[i];
            }
        free(w->seen);
        w->seen = grown, w->seen_room = room;
    }
    uint64_t hash = mix3(s.key, (uint64_t)s.from, s.out) | 1;
    int64_t at = (int64_t)(hash & (uint64_t)(w->seen_room - 1));
    while (w->seen[at]) {
        if (w->seen[at] == hash) return false;
        at = (at + 1) & (w->seen_room - 1);
    }
    w->seen[at] = hash;
    w->seen_count++;
    return true;
}

/* Queues the steps that lead on from a place. They are read from the middle occurrence: the first and the last are
 * often exceptions. */
static bool look_around(struct growth *w, int32_t from) {
    const struct graph *g = w->g;
    int32_t node = w->rows[from][w->alive[w->left / 2]];
    if (g->flags[node] & LEAF) return true;
    for (int64_t e = g->in_ptr[node]; e < g->in_ptr[node + 1]; e++) {
        if (g->in_class[e] == CONTROL_CLASS) continue;
        struct step s = {g->in_key[e], from, 0, g->in_tie[e]};
        if (is_new(w, s) && !push(s.tie ? &w->ties : &w->main, s)) return false;
    }
    if (g->out_ptr[node + 1] - g->out_ptr[node] > WIDEST_GROWN) return true;
    for (int64_t o = g->out_ptr[node]; o < g->out_ptr[node + 1]; o++) {
        if (g->in_class[g->out_edge[o]] == CONTROL_CLASS) continue;
        struct step s = {g->out_key[o], from, 1, g->out_tie[o]};
        if (is_new(w, s) && !push(s.tie ? &w->ties : &w->main, s)) return false;
    }
    return true;
}

static bool add_row(struct growth *w, int32_t **row) {
    if (w->size == w->room) {
        int32_t room = w->room ? 2 * w->room : 64;
        int32_t **grown = realloc(w->rows, (size_t)room * sizeof *grown);
        if (!grown) return false;
        w->rows = grown, w->room = room;
    }
    *row = malloc((size_t)w->count * sizeof **row);
    if (!*row) return false;
    w->rows[w->size++] = *row;
    return true;
}

enum { REFUSED, TAKEN, FAILED };

/* All occurrences take a step, or none does. Each needs a free neighbour of its own, and all of these must have the
 * same label and wiring. */
static int take(struct growth *w, struct step s) {
    struct graph *g = w->g;
    int32_t middle = w->alive[w->left / 2];
    int32_t shown = neighbour(g, w->rows[s.from][middle], s.key, s.out);
    if (!may_join(g, shown, w->rows[s.from][middle], w->rows[0][middle])) return REFUSED;
    int32_t label = g->label[shown];
    uint64_t sign = wiring(g, shown, middle);
    int32_t done = 0;
    for (; done < w->left; done++) {
        int32_t i = w->alive[done], from = w->rows[s.from][i];
        int32_t node = neighbour(g, from, s.key, s.out);
        if (!may_join(g, node, from, w->rows[0][i]) || g->label[node] != label || wiring(g, node, i) != sign) break;
        w->candidates[done] = node;
        g->owner[node] = i;
        g->place[node] = w->size;
    }
    w->budget -= done + 1;
    if (done < w->left) {
        while (done-- > 0) g->owner[w->candidates[done]] = -1;
        return REFUSED;
    }
    int32_t *row;
    if (!add_row(w, &row)) {
        while (done-- > 0) g->owner[w->candidates[done]] = -1;
        return FAILED;
    }
    for (int32_t i = 0; i < w->left; i++) row[w->alive[i]] = w->candidates[i];
    return TAKEN;
}

/* The largest number of occurrences that can take a step together, and their common sign. */
static int32_t support(struct growth *w, struct step s, uint64_t *common) {
    struct graph *g = w->g;
    int64_t room = 4;
    while (room < 2 * w->left) room *= 2;
    memset(w->vote_count, 0, (size_t)room * sizeof *w->vote_count);
    int32_t most = 0;
    for (int32_t n = 0; n < w->left; n++) {
        int32_t i = w->alive[n], from = w->rows[s.from][i];
        int32_t node = neighbour(g, from, s.key, s.out);
        w->candidates[n] = -1;
        if (!may_join(g, node, from, w->rows[0][i])) continue;
        uint64_t sign = mix3((uint64_t)g->label[node], wiring(g, node, i), 7);
        w->candidates[n] = node;
        w->signs[n] = sign;
        g->owner[node] = i; /* no other occurrence may count it */
        int64_t at = (int64_t)(sign & (uint64_t)(room - 1));
        while (w->vote_count[at] && w->votes[at] != sign) at = (at + 1) & (room - 1);
        w->votes[at] = sign;
        if (++w->vote_count[at] > most) most = w->vote_count[at], *common = sign;
    }
    for (int32_t n = 0; n < w->left; n++)
        if (w->candidates[n] >= 0) g->owner[w->candidates[n]] = -1;
    w->budget -= 2 * w->left;
    return most;
}

static bool grow_on(struct growth *w) {
    for (;;) {
        struct queue *q = w->main.head < w->main.count ? &w->main : &w->ties;
        if (q->head == q->count) return true;
        struct step s = q->steps[q->head++];
        int taken = take(w, s);
        if (taken == FAILED) return false;
        if (taken == REFUSED && !push(&w->stuck, s)) return false;
        if (taken == TAKEN && !look_around(w, w->size - 1)) return false;
        if (w->budget < 0) return true;
    }
}

/* Drops the occurrences that keep most others from growing. Returns false if dropping them saves nothing. */
static bool drop(struct growth *w, struct step *way) {
    struct graph *g = w->g;
    int32_t most = 1;
    uint64_t common = 0, sign = 0;
    for (int64_t i = 0; i < w->stuck.count && w->budget > 0; i++) {
        int32_t count = support(w, w->stuck.steps[i], &sign);
        if (count > most) most = count, common = sign, *way = w->stuck.steps[i];
    }
    if (most < 2) return false;
    support(w, *way, &sign);
    int32_t kept = 0;
    for (int32_t n = 0; n < w->left; n++) {
        int32_t i = w->alive[n];
        if (w->candidates[n] >= 0 && w->signs[n] == common) {
            w->alive[kept++] = i;
            continue;
        }
        for (int32_t p = 0; p < w->size; p++) g->owner[w->rows[p][i]] = -1;
    }
    w->left = kept;
    return true;
}

/* Grows occurrences in lock step while their neighbourhoods are the same. Where they differ, it goes on with those that
 * agree. Returns the state that saves the most nodes: (count - 1)(size - 1) - 1. */
EXPORT int grow(struct graph *g, const int32_t *roots, int32_t count, int32_t most_drops, int64_t budget,
                struct found *best) {
    struct growth w = {.g = g, .count = count, .left = count, .budget = budget};
    int64_t room = 4, gain = 0;
    while (room < 2 * (int64_t)count) room *= 2;
    int32_t best_size = 0, best_left = 0, *best_alive = malloc((size_t)count * sizeof *best_alive), *row;
    w.alive = malloc((size_t)count * sizeof *w.alive);
    w.candidates = malloc((size_t)count * sizeof *w.candidates);
    w.signs = malloc((size_t)count * sizeof *w.signs);
    w.votes = malloc((size_t)room * sizeof *w.votes);
    w.vote_count = malloc((size_t)room * sizeof *w.vote_count);
    bool sound = best_alive && w.alive && w.candidates && w.signs && w.votes && w.vote_count && add_row(&w, &row);
    best->nodes = NULL, best->size = best->count = 0;
    if (sound) {
        memcpy(row, roots, (size_t)count * sizeof *row);
        for (int32_t i = 0; i < count; i++) g->owner[roots[i]] = i, g->place[roots[i]] = 0, w.alive[i] = i;
        sound = look_around(&w, 0);
        for (int32_t drops = 0; sound; drops++) {
            sound = grow_on(&w);
            int64_t now = (int64_t)(w.left - 1) * (w.size - 1) - 1;
            if (now > gain) {
                gain = now, best_size = w.size, best_left = w.left;
                memcpy(best_alive, w.alive, (size_t)w.left * sizeof *w.alive);
            }
            struct step way;
            int32_t middle = w.alive[w.left / 2];
            if (!sound || drops == most_drops || w.budget < 0 || !drop(&w, &way)) break;
            struct queue again = w.stuck;
            w.stuck = (struct queue){0};
            free(w.main.steps);
            w.main = (struct queue){0};
            w.ties.head = w.ties.count = 0;
            sound = push(&w.main, way);
            for (int64_t i = 0; sound && i < again.count; i++) {
                struct step s = again.steps[i];
                if (s.key != way.key || s.from != way.from || s.out != way.out) sound = push(s.tie ? &w.ties : &w.main, s);
            }
            free(again.steps);
            if (w.alive[w.left / 2] != middle)
                for (int32_t p = 0; sound && p < w.size; p++) sound = look_around(&w, p);
        }
    }
    for (int32_t n = 0; n < w.left && w.size; n++)
        for (int32_t p = 0; p < w.size; p++) g->owner[w.rows[p][w.alive[n]]] = -1;
    if (sound && best_size) {
        best->nodes = malloc((size_t)best_size * (size_t)best_left * sizeof *best->nodes);
        sound = best->nodes != NULL;
        for (int32_t p = 0; sound && p < best_size; p++)
            for (int32_t n = 0; n < best_left; n++)
                best->nodes[(int64_t)p * best_left + n] = w.rows[p][best_alive[n]];
        best->size = best_size, best->count = best_left;
    }
    for (int32_t p = 0; p < w.size; p++) free(w.rows[p]);
    free(w.rows), free(w.alive), free(w.candidates), free(w.signs), free(w.votes), free(w.vote_count), free(best_alive);
    free(w.main.steps), free(w.ties.steps), free(w.stuck.steps), free(w.seen);
    return sound ? 0 : -1;
}

/* -- matching a pattern ------------------------------------------------------------------------------------------ */

/* A pattern, taken from one occurrence. Every place except the first has a neighbour at an earlier place. */
struct pattern {
    int32_t size;
    const int32_t *nodes;  /* by place */
    const int32_t *from;   /* the earlier neighbour's place */
    const int32_t *edge;   /* the edge between them */
    const uint8_t *out;    /* whether this edge leaves the earlier one */
    const uint64_t *signs; /* the wiring to earlier places */
};

EXPORT void pattern_signs(struct graph *g, const int32_t *nodes, int32_t size, uint64_t *signs) {
    for (int32_t p = 0; p < size; p++) {
        signs[p] = wiring(g, nodes[p], 0);
        g->owner[nodes[p]] = 0;
        g->place[nodes[p]] = p;
    }
    for (int32_t p = 0; p < size; p++) g->owner[nodes[p]] = -1;
}

/* The next candidate for a place, after `*cursor`; -1 if there is none. */
static int32_t next_candidate(const struct graph *g, const struct pattern *p, int32_t at, int32_t from, int64_t *cursor) {
    int32_t edge = p->edge[at], class = g->in_class[edge], slot = g->in_slot[edge];
    if (!p->out[at]) {
        int64_t first = g->in_ptr[from], count = g->in_ptr[from + 1] - first;
        while (*cursor < count) {
            int64_t e = first + (*cursor)++;
            if (g->in_class[e] == class && g->in_slot[e] == slot) return g->in_src[e];
        }
        return -1;
    }
    int64_t first = g->out_ptr[from], count = g->out_ptr[from + 1] - first;
    while (*cursor < count) {
        int32_t e = g->out_edge[first + (*cursor)++];
        if (g->in_class[e] == class && g->in_slot[e] == slot) return g->in_dst[e];
    }
    return -1;
}

/* Matches the pattern at an anchor by backtracking; labels may differ at `tolerance` places. */
static bool match_one(struct graph *g, const struct pattern *p, int32_t anchor, int32_t id, int32_t tolerance,
                      int32_t *nodes, int64_t *cursors, uint8_t *off, int64_t steps) {
    int32_t at = 1, wrong = g->label[anchor] != g->label[p->nodes[0]];
    if (wrong > tolerance) return false;
    nodes[0] = anchor, off[0] = (uint8_t)wrong;
    g->owner[anchor] = id, g->place[anchor] = 0;
    cursors[1] = 0;
    while (at > 0 && at < p->size && steps-- > 0) {
        int32_t from = nodes[p->from[at]], node = next_candidate(g, p, at, from, &cursors[at]);
        if (node < 0) {
            at--;
            wrong -= off[at];
            g->owner[nodes[at]] = -1;
            continue;
        }
        if (!may_join(g, node, p->out[at] ? node : from, anchor)) continue;
        if ((g->flags[node] ^ g->flags[p->nodes[at]]) & LEAF) continue;
        uint8_t differs = g->label[node] != g->label[p->nodes[at]];
        if (wrong + differs > tolerance || wiring(g, node, id) != p->signs[at]) continue;
        g->owner[node] = id, g->place[node] = at;
        nodes[at] = node, off[at] = differs, wrong += differs;
        if (++at < p->size) cursors[at] = 0;
    }
    if (at == p->size) return true;
    while (--at >= 0) g->owner[nodes[at]] = -1;
    return false;
}

/* Finds disjoint occurrences of a pattern at these anchors, in their order. Returns -1 if there is no memory. */
EXPORT int match(struct graph *g, const struct pattern *p, const int32_t *anchors, int64_t count, int32_t tolerance,
                 int64_t steps, struct found *found) {
    int32_t *nodes = malloc((size_t)p->size * sizeof *nodes);
    int64_t *cursors = malloc((size_t)(p->size + 1) * sizeof *cursors);
    uint8_t *off = malloc((size_t)p->size);
    int64_t room = 0;
    found->nodes = NULL, found->size = p->size, found->count = 0;
    bool sound = nodes && cursors && off;
    for (int64_t i = 0; sound && i < count; i++) {
        int32_t anchor = anchors[i];
        if (g->owner[anchor] >= 0 || g->region[anchor] < 0) continue;
        if (!match_one(g, p, anchor, found->count, tolerance, nodes, cursors, off, steps)) continue;
        if (found->count == room) {
            room = room ? 2 * room : 16;
            int32_t *grown = realloc(found->nodes, (size_t)(room * p->size) * sizeof *grown);
            sound = grown != NULL;
            if (!sound) break;
            found->nodes = grown;
        }
        memcpy(found->nodes + (int64_t)found->count++ * p->size, nodes, (size_t)p->size * sizeof *nodes);
    }
    for (int64_t i = 0; i < (int64_t)found->count * p->size; i++) g->owner[found->nodes[i]] = -1;
    free(nodes), free(cursors), free(off);
    return sound ? 0 : -1;
}

/* -- exact comparison -------------------------------------------------------------------------------------------- */

struct wire {
    int32_t place, slot;
};

static int by_wire(const void *left, const void *right) {
    const struct wire *a = left, *b = right;
    if (a->place != b->place) return a->place < b->place ? -1 : 1;
    return a->slot < b->slot ? -1 : a->slot > b->slot;
}

static inline int32_t place_of(const struct graph *g, int32_t node, int32_t owner) {
    return g->owner[node] == owner ? g->place[node] : -1;
}

/* Whether a node has the same inputs as its counterpart in the first occurrence: by port, or as a set if order does not
 * matter. */
static bool same_inputs(const struct graph *g, int32_t left, int32_t left_owner, int32_t right, int32_t right_owner,
                        struct wire *room) {
    int64_t first = g->in_ptr[left], other = g->in_ptr[right], count = g->in_ptr[left + 1] - first, loose = 0;
    if (g->in_ptr[right + 1] - other != count) return false;
    struct wire *more = room + count;
    for (int64_t i = 0; i < count; i++) {
        if (g->in_class[first + i] != g->in_class[other + i]) return false;
        int32_t a = place_of(g, g->in_src[first + i], left_owner), b = place_of(g, g->in_src[other + i], right_owner);
        int32_t a_slot = a < 0 ? 0 : g->in_slot[first + i], b_slot = b < 0 ? 0 : g->in_slot[other + i];
        if (g->in_class[first + i] < CONTROL_CLASS) {
            if (a != b || a_slot != b_slot) return false;
        } else {
            room[loose] = (struct wire){a, a_slot}, more[loose++] = (struct wire){b, b_slot};
        }
    }
    if (!loose) return true;
    qsort(room, (size_t)loose, sizeof *room, by_wire);
    qsort(more, (size_t)loose, sizeof *more, by_wire);
    for (int64_t i = 0; i < loose; i++)
        if (room[i].place != more[i].place || room[i].slot != more[i].slot) return false;
    return true;
}

/* Compares each occurrence (a row of `size` nodes) with the first one, place by place, and writes whether they are the
 * same. Occurrences must be disjoint. If `labels` is 0, only the wiring is compared. */
EXPORT int verify(struct graph *g, const int32_t *rows, int32_t count, int32_t size, int32_t labels, uint8_t *same) {
    int64_t widest = 1;
    for (int64_t i = 0; i < (int64_t)count * size; i++) {
        int64_t width = g->in_ptr[rows[i] + 1] - g->in_ptr[rows[i]];
        widest = width > widest ? width : widest;
        g->owner[rows[i]] = (int32_t)(i / size), g->place[rows[i]] = (int32_t)(i % size);
    }
    struct wire *room = malloc((size_t)(2 * widest) * sizeof *room);
    for (int32_t n = 0; room && n < count; n++) {
        same[n] = 1;
        for (int32_t p = 0; same[n] && p < size; p++) {
            int32_t first = rows[p], node = rows[(int64_t)n * size + p];
            same[n] = (!labels || g->label[node] == g->label[first]) && same_inputs(g, first, 0, node, n, room);
        }
    }
    for (int64_t i = 0; i < (int64_t)count * size; i++) g->owner[rows[i]] = -1;
    free(room);
    return room ? 0 : -1;
}
