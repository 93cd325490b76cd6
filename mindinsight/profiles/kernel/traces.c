/* Loops over the text of a trace, and over its slices.
 *
 * traces_scan reads events of the ordinary form: complete slices whose times are decimal microseconds. It stops where
 * the text ends or where an event has another form, which Python then decodes; so Python alone decides what is broken.
 * Texts are interned as they stand in the file; Python decodes each once.
 */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define DEEPEST 63
#define MOST_DIGITS 16
#define FURTHEST_US (((int64_t)1 << 62) / 1000)

#ifndef SOURCE
#define SOURCE "unknown"
#endif

/* The hash of the source that the library was compiled from. */
EXPORT const char *kernel_source(void) { return "traces.c " SOURCE; }

/* --- interned texts */

typedef struct {
    char *text;
    int64_t used, room;
    int64_t *ends;
    int64_t count, places;
    uint32_t *slots;
    uint32_t mask;
} Words;

EXPORT void traces_free_words(Words *words) {
    if (words) {
        free(words->text);
        free(words->ends);
        free(words->slots);
        free(words);
    }
}

EXPORT Words *traces_new_words(void) {
    Words *words = calloc(1, sizeof *words);
    if (!words) return NULL;
    words->room = 1 << 12;
    words->places = 1 << 8;
    words->mask = (1 << 10) - 1;
    words->text = malloc((size_t)words->room);
    words->ends = malloc((size_t)words->places * sizeof *words->ends);
    words->slots = calloc((size_t)words->mask + 1, sizeof *words->slots);
    if (!words->text || !words->ends || !words->slots) {
        traces_free_words(words);
        return NULL;
    }
    return words;
}

EXPORT int64_t traces_count(const Words *words) { return words->count; }

/* The bytes of a word; its length goes to *length. */
EXPORT const char *traces_word(const Words *words, int64_t number, int64_t *length) {
    int64_t begin = number ? words->ends[number - 1] : 0;
    *length = words->ends[number] - begin;
    return words->text + begin;
}

static uint32_t hash_of(const char *text, int64_t length, uint32_t hash) {
    while (length >= 8) {
        uint64_t part;
        memcpy(&part, text, 8);
        part = (part ^ hash) * 0x9E3779B97F4A7C15u;
        hash = (uint32_t)(part >> 32) ^ (uint32_t)part;
        text += 8;
        length -= 8;
    }
    while (length-- > 0) hash = (hash ^ (uint8_t)*text++) * 16777619u;
    return hash ^ (hash >> 15);
}

static int grow_slots(Words *words) {
    uint32_t mask = words->mask * 2 + 1;
    uint32_t *slots = calloc((size_t)mask + 1, sizeof *slots);
    if (!slots) return 0;
    for (int64_t number = 0; number < words->count; number++) {
        int64_t length;
        const char *text = traces_word(words, number, &length);
        const char *zero = memchr(text, 0, (size_t)length);
        int64_t first = zero ? zero - text : length;
        uint32_t hash = hash_of(text, first, 2166136261u);
        if (zero) hash = hash_of(zero + 1, length - first - 1, hash);
        uint32_t slot = hash & mask;
        while (slots[slot]) slot = (slot + 1) & mask;
        slots[slot] = (uint32_t)number + 1;
    }
    free(words->slots);
    words->slots = slots;
    words->mask = mask;
    return 1;
}

/* The number of a word of two parts, which a zero joins; -1 without memory. No part may hold a zero. */
static int64_t intern(Words *words, const char *a, int64_t na, const char *b, int64_t nb) {
    uint32_t hash = hash_of(b, nb, hash_of(a, na, 2166136261u));
    uint32_t slot = hash & words->mask;
    int64_t length = na + 1 + nb;
    for (; words->slots[slot]; slot = (slot + 1) & words->mask) {
        int64_t number = words->slots[slot] - 1, had;
        const char *text = traces_word(words, number, &had);
        if (had == length && !memcmp(text, a, (size_t)na) && !text[na] && !memcmp(text + na + 1, b, (size_t)nb)) return number;
    }
    if (words->used + length > words->room) {
        int64_t room = (words->used + length) * 2;
        char *text = realloc(words->text, (size_t)room);
        if (!text) return -1;
        words->text = text;
        words->room = room;
    }
    if (words->count == words->places) {
        int64_t *ends = realloc(words->ends, (size_t)words->places * 2 * sizeof *ends);
        if (!ends) return -1;
        words->ends = ends;
        words->places *= 2;
    }
    memcpy(words->text + words->used, a, (size_t)na);
    words->text[words->used + na] = 0;
    memcpy(words->text + words->used + na + 1, b, (size_t)nb);
    words->used += length;
    words->ends[words->count] = words->used;
    words->slots[slot] = (uint32_t)++words->count;
    if ((uint64_t)words->count * 2 > words->mask && !grow_slots(words)) return -1;
    return words->count - 1;
}

/* --- JSON */

static const char *after_space(const char *at, const char *end) {
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r')) at++;
    return at;
}

/* The position behind the closing quote of a string that begins at `at`; NULL if it does not end. */
static const char *after_string(const char *at, const char *end) {
    for (at++; at < end; at++) {
        if (*at == '"') return at + 1;
        if (*at == '\\') at++;
    }
    return NULL;
}

/* What an event's value is: where it begins and ends. `odd` tells a text that is not JSON from one that ends early. */
static const char *after_value(const char *at, const char *end, int *odd) {
    if (at >= end) return NULL;
    if (*at == '"') return after_string(at, end);
    if (*at == '{' || *at == '[') {
        uint64_t kinds = 0;
        int depth = 0;
        while (at < end) {
            char letter = *at;
            if (letter == '"') {
                at = after_string(at, end);
                if (!at) return NULL;
                continue;
            }
            if (letter == '{' || letter == '[') {
                if (++depth > DEEPEST) {
                    *odd = 1;
                    return NULL;
                }
                kinds = kinds << 1 | (letter == '{');
            } else if (letter == '}' || letter == ']') {
                if ((kinds & 1) != (letter == '}')) {
                    *odd = 1;
                    return NULL;
                }
                kinds >>= 1;
                if (--depth == 0) return at + 1;
            }
            at++;
        }
        return NULL;
    }
    const char *begin = at;
    while (at < end && *at != ',' && *at != '}' && *at != ' ' && *at != '\n' && *at != '\r' && *at != '\t') {
        char letter = *at;
        int fits = (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') || letter == '-' ||
                   letter == '+' || letter == '.' || letter == 'E' || letter == 'N' || letter == 'I';
        if (!fits) {
            *odd = 1;
            return NULL;
        }
        at++;
    }
    if (at == begin) *odd = 1;
    return at < end && !*odd ? at : NULL;
}

/* Nanoseconds of decimal microseconds, as a number or as a text of one; 0 if they have another form. */
static int nanoseconds(const char *at, const char *end, int64_t *found) {
    if (at < end && *at == '"') {
        at++;
        end--;
    }
    int64_t whole = 0, part = 0;
    int digits = 0, decimals = 0;
    for (; at < end && *at >= '0' && *at <= '9'; at++, digits++) {
        if (digits == MOST_DIGITS) return 0;
        whole = whole * 10 + (*at - '0');
    }
    if (!digits || whole >= FURTHEST_US) return 0;
    if (at < end && *at == '.') {
        at++;
        for (; at < end && *at >= '0' && *at <= '9'; at++, decimals++) {
            if (decimals == 3) return 0;
            part = part * 10 + (*at - '0');
        }
        if (!decimals) return 0;
    }
    if (at != end) return 0;
    while (decimals++ < 3) part *= 10;
    *found = whole * 1000 + part;
    return 1;
}

/* --- events */

enum { MORE = 0, OVER = 1, ODD = 2, FULL = 3, NO_MEMORY = 4 };

typedef struct {
    const char *begin, *end;
} Part;

typedef struct {
    Part name, cat, ph, ts, dur, pid, tid, args;
} Parts;

static Part *place_of(Parts *parts, const char *key, int64_t length) {
    switch (length) {
        case 2:
            if (!memcmp(key, "ph", 2)) return &parts->ph;
            return memcmp(key, "ts", 2) ? NULL : &parts->ts;
        case 3:
            if (!memcmp(key, "cat", 3)) return &parts->cat;
            if (!memcmp(key, "dur", 3)) return &parts->dur;
            if (!memcmp(key, "pid", 3)) return &parts->pid;
            return memcmp(key, "tid", 3) ? NULL : &parts->tid;
        case 4:
            if (!memcmp(key, "name", 4)) return &parts->name;
            return memcmp(key, "args", 4) ? NULL : &parts->args;
        default:
            return NULL;
    }
}

/* Reads one object. Returns the position behind it, or NULL with `odd` set if it is not JSON. */
static const char *read_object(const char *at, const char *end, Parts *parts, int *odd) {
    memset(parts, 0, sizeof *parts);
    at = after_space(at + 1, end);
    if (at < end && *at == '}') return at + 1;
    while (at < end) {
        if (*at != '"') break;
        const char *key = at + 1;
        at = after_string(at, end);
        if (!at) return NULL;
        Part *place = place_of(parts, key, at - 1 - key);
        at = after_space(at, end);
        if (at >= end) return NULL;
        if (*at != ':') break;
        at = after_space(at + 1, end);
        const char *begin = at;
        at = after_value(at, end, odd);
        if (!at) return NULL;
        if (place) {
            place->begin = begin;
            place->end = at;
        }
        at = after_space(at, end);
        if (at >= end) return NULL;
        if (*at == '}') return at + 1;
        if (*at != ',') break;
        at = after_space(at + 1, end);
    }
    *odd = at < end;
    return NULL;
}

/* The list behind "Input Dims" in an event's arguments. */
static Part shape_of(Part args) {
    Part none = {NULL, NULL};
    const char *at = args.begin;
    while (at + 14 < args.end) {
        at = memchr(at, 'I', (size_t)(args.end - at - 14));
        if (!at) return none;
        if (!memcmp(at, "Input Dims\":", 12) || !memcmp(at, "Input dims\":", 12)) {
            int odd = 0;
            Part list = {after_space(at + 12, args.end), NULL};
            list.end = list.begin < args.end && *list.begin == '[' ? after_value(list.begin, args.end, &odd) : NULL;
            return list.end ? list : none;
        }
        at++;
    }
    return none;
}

/* The inside of a string; anything else makes it empty. */
static int inside(Part *part) {
    if (!part->begin) {
        part->begin = part->end = "";
        return 1;
    }
    if (*part->begin != '"') return 0;
    part->begin++;
    part->end--;
    return !memchr(part->begin, 0, (size_t)(part->end - part->begin));
}

typedef struct {
    int64_t start, duration, place, args, args_length;
    uint32_t name, shape, track, zero;
} Slice;

typedef struct {
    int64_t begin, end;
} Other;

typedef struct {
    Words *names, *shapes, *tracks;
    Slice *slices;
    Other *others;
    int64_t room, slice_count, other_count, position, phases[256];
} Scan;

static int slice_from(Scan *scan, Parts *parts, const char *text, const char *object) {
    Slice *slice = scan->slices + scan->slice_count;
    memset(slice, 0, sizeof *slice);
    if (!parts->ts.begin || !nanoseconds(parts->ts.begin, parts->ts.end, &slice->start)) return ODD;
    if (parts->dur.begin && !nanoseconds(parts->dur.begin, parts->dur.end, &slice->duration)) return ODD;
    if (!inside(&parts->name) || !inside(&parts->cat)) return ODD;
    Part pid = parts->pid, tid = parts->tid, none = {"", ""};
    if (!pid.begin) pid = none;
    if (!tid.begin) tid = none;
    if (memchr(pid.begin, 0, (size_t)(pid.end - pid.begin)) || memchr(tid.begin, 0, (size_t)(tid.end - tid.begin))) return ODD;
    int64_t track = intern(scan->tracks, pid.begin, pid.end - pid.begin, tid.begin, tid.end - tid.begin);
    int64_t name = intern(scan->names, parts->name.begin, parts->name.end - parts->name.begin, parts->cat.begin,
                          parts->cat.end - parts->cat.begin);
    Part shape = none;
    if (parts->args.begin) {
        shape = shape_of(parts->args);
        if (!shape.begin || memchr(shape.begin, 0, (size_t)(shape.end - shape.begin))) shape = none;
        slice->args = parts->args.begin - text;
        slice->args_length = parts->args.end - parts->args.begin;
    }
    int64_t shapes = intern(scan->shapes, shape.begin, shape.end - shape.begin, "", 0);
    if (track < 0 || name < 0 || shapes < 0) return NO_MEMORY;
    slice->name = (uint32_t)name;
    slice->shape = (uint32_t)shapes;
    slice->track = (uint32_t)track;
    slice->place = object - text;
    scan->slice_count++;
    return MORE;
}

/* Reads events from scan->position on. Afterwards that is the position of the first event that was not read. */
EXPORT int traces_scan(const char *text, int64_t length, Scan *scan) {
    const char *at = text + scan->position, *end = text + length;
    scan->slice_count = scan->other_count = 0;
    for (;;) {
        while (at < end && (*at == ',' || *at == ' ' || *at == '\n' || *at == '\t' || *at == '\r')) at++;
        scan->position = at - text;
        if (at >= end) return MORE;
        if (*at == ']') return OVER;
        if (*at != '{') return ODD;
        if (scan->slice_count == scan->room || scan->other_count == scan->room) return FULL;
        Parts parts;
        int odd = 0;
        const char *after = read_object(at, end, &parts, &odd);
        if (!after) return odd ? ODD : MORE;
        Part phase = parts.ph;
        if (phase.begin && phase.end - phase.begin == 3 && phase.begin[1] == 'X') {
            int found = slice_from(scan, &parts, text, at);
            if (found != MORE) return found;
            scan->phases['X']++;
        } else if (phase.begin && phase.end - phase.begin == 3 && memchr("sftNODPRcnv(),", phase.begin[1], 14)) {
            scan->phases[(uint8_t)phase.begin[1]]++;
        } else {
            Other *other = scan->others + scan->other_count++;
            other->begin = at - text;
            other->end = after - text;
        }
        at = after;
    }
}

/* --- slices */

/* The row of the slice around each slice (-1 without), the number of slices around it, and the end of the slices beside
 * it before, as far as it overlaps them. Rows are sorted by track, start and descending duration. A slice that outlasts
 * another one is beside it, also if it began inside. Returns 0, or -1 without memory. */
EXPORT int traces_nest(const uint16_t *track, const int64_t *start, const int64_t *duration, int64_t count,
                       int32_t *parent, uint8_t *depth, int64_t *overlap) {
    int64_t room = 256, above = 0;
    int32_t *stack = malloc((size_t)room * sizeof *stack);
    int64_t *beside = malloc((size_t)room * sizeof *beside);
    if (!stack || !beside) {
        free(stack);
        free(beside);
        return -1;
    }
    beside[0] = INT64_MIN;
    for (int64_t row = 0; row < count; row++) {
        if (row && track[row] != track[row - 1]) {
            above = 0;
            beside[0] = INT64_MIN;
        }
        int64_t begin = start[row], end = begin + duration[row];
        while (above) {
            int32_t top = stack[above - 1];
            int64_t ends = start[top] + duration[top];
            if (ends > begin && ends >= end) break;
            above--;
        }
        parent[row] = above ? stack[above - 1] : -1;
        depth[row] = (uint8_t)(above < 255 ? above : 255);
        overlap[row] = beside[above] > begin ? beside[above] - begin : 0;
        if (beside[above] < end) beside[above] = end;
        if (above + 2 > room) {
            room *= 2;
            int32_t *more = realloc(stack, (size_t)room * sizeof *stack);
            if (more) stack = more;
            int64_t *further = realloc(beside, (size_t)room * sizeof *beside);
            if (further) beside = further;
            if (!more || !further) {
                free(stack);
                free(beside);
                return -1;
            }
        }
        stack[above++] = (int32_t)row;
        beside[above] = INT64_MIN;
    }
    free(stack);
    free(beside);
    return 0;
}
