/* Walks the records of an event file and turns them into rows.
 *
 * walker.py calls it with one window of the file's bytes after another. It decodes the common records: events of
 * MindSpore or TensorBoard with plain numbers, or with other values whose tags it has learned from Python. It stops
 * before any other record, whether new, rare or damaged, adds no row for it, and leaves it to the decoder in Python.
 * Both must decode a record alike, so this file leaves every doubtful case to Python.
 *
 * No byte of a file is trusted: every read is bounded by the window, the record and the message around it.
 */

#define _POSIX_C_SOURCE 200809L /* for the calls that open and read files */

#include "checksum.h"
#include "tags.h"
#include "text.h"
#include "wire.h"

#define EXPORT __attribute__((visibility("default")))

/* --------------------------------------------------------------------------------------------------- values */

struct point {
    int64_t step;
    double wall, value;
};

struct place {
    int64_t step;
    double wall;
    uint64_t offset;
    uint32_t length, start, size, flags;
};

_Static_assert(sizeof(struct point) == 24 && sizeof(struct place) == 40, "rows have no gaps");

/* The rows written so far, and the room for them; Python has the same structure. */
struct rows {
    struct point *points;
    int32_t *tag;
    struct place *places;
    int32_t *place_tag;
    uint8_t *place_kind;
    size_t points_room, places_room;
    size_t points_count, places_count;
    size_t records;
    size_t position; /* how far the window was walked */
    size_t tags;      /* the index of the next new tag */
    size_t tags_room; /* the end of these indices */
};

enum flavour { UNKNOWN, MINDSPORE, TENSORBOARD };

/* The record that is being decoded. */
struct event {
    struct walker *walker;
    struct rows *rows;
    enum flavour flavour;
    const uint8_t *payload;
    uint64_t offset;
    uint32_t length;
    int64_t step;
    double wall;
};

/* The contents that a value can have: bits of a set, and indices of `kinds`. */
enum content { SIMPLE, SCALAR, IMAGE, HISTO, AUDIO, TENSOR, NINTH, LANDSCAPE, TEXT, EXACT, CONTENTS, NAME, NONE };
#define ONLY(content) (1u << (content))

static enum content content_of(uint32_t key) {
    switch (key) {
    case BYTES(1): return NAME;
    case FIXED32(2): return SIMPLE;
    case FIXED32(3): return SCALAR;
    case BYTES(4): return IMAGE;
    case BYTES(5): return HISTO;
    case BYTES(6): return AUDIO;
    case BYTES(8): return TENSOR;
    case BYTES(9): return NINTH; /* MindSpore: a histogram. TensorBoard: metadata. */
    case BYTES(10): return LANDSCAPE;
    case BYTES(1000): return TEXT;
    case BYTES(1001): return EXACT;
    default: return NONE;
    }
}

static bool add_point(const struct event *event, const struct tag *tag, double value) {
    struct rows *rows = event->rows;
    size_t row = rows->points_count;
    if (row == rows->points_room)
        return false;
    rows->points[row] = (struct point){event->step, event->wall, value};
    rows->tag[row] = tag->index;
    rows->points_count++;
    return true;
}

static bool add_place(const struct event *event, const struct tag *tag, uint8_t kind, struct cursor value) {
    struct rows *rows = event->rows;
    size_t row = rows->places_count;
    if (row == rows->places_room)
        return false;
    rows->places[row] = (struct place){
        .step = event->step,
        .wall = event->wall,
        .offset = event->offset,
        .length = event->length,
        .start = (uint32_t)(value.at - event->payload),
        .size = (uint32_t)size_of(value),
    };
    rows->place_tag[row] = tag->index;
    rows->place_kind[row] = kind;
    rows->places_count++;
    return true;
}

/* Learns the tag of a plain number, as Python does. Returns NULL to leave the record to Python. */
static const struct tag *learn_plain(struct walker *walker, struct rows *rows, struct cursor name) {
    size_t size = size_of(name);
    if (rows->tags >= rows->tags_room || !size || size > LONGEST_TAG || !is_text(name.at, size))
        return NULL;
    struct tag *tag = add_tag(walker, name.at, size);
    if (!tag)
        return NULL;
    tag->index = (int32_t)rows->tags++;
    tag->tensor = SCALAR_TENSOR;
    tag->bare = walker->bare;
    return tag;
}

enum { DT_FLOAT = 1, DT_DOUBLE = 2 };

/* Reads a TensorProto without dimensions that holds one float or double, in any of its three encodings. */
static bool read_scalar_tensor(struct cursor tensor, double *value) {
    uint64_t dtype = 0;
    struct cursor number = {NULL, NULL};
    bool has_dtype = false, has_shape = false, has_number = false;
    enum { IN_CONTENT = 4, IN_FLOATS = 5, IN_DOUBLES = 6 } where = IN_CONTENT;
    while (tensor.at < tensor.end) {
        uint32_t key;
        struct cursor shape;
        if (!read_key(&tensor, &key))
            return false;
        if (key == VARINT(1) && !has_dtype && read_varint(&tensor, &dtype)) {
            has_dtype = true;
        } else if (key == BYTES(2) && !has_shape && read_bytes(&tensor, &shape) && !size_of(shape)) {
            has_shape = true;
        } else if (!has_number && (key == BYTES(IN_CONTENT) || key == BYTES(IN_FLOATS) || key == BYTES(IN_DOUBLES)) &&
                   read_bytes(&tensor, &number)) {
            has_number = true;
            where = key >> 3;
        } else if (!has_number && (key == FIXED32(IN_FLOATS) || key == FIXED64(IN_DOUBLES))) {
            size_t size = key == FIXED32(IN_FLOATS) ? 4 : 8;
            if ((size_t)(tensor.end - tensor.at) < size)
                return false;
            number = (struct cursor){tensor.at, tensor.at + size};
            tensor.at += size;
            has_number = true;
            where = key >> 3;
        } else {
            return false;
        }
    }
    *value = 0;
    if (!has_number)
        return dtype == DT_FLOAT || dtype == DT_DOUBLE; /* TensorFlow omits a zero. */
    if (dtype == DT_DOUBLE && where != IN_FLOATS && size_of(number) == 8)
        return read_fixed(&number, value, 8);
    float narrow;
    if (dtype != DT_FLOAT || where == IN_DOUBLES || size_of(number) != 4 || !read_fixed(&number, &narrow, 4))
        return false;
    *value = narrow;
    return true;
}

/* Adds a tensor from a file of TensorBoard. The plugin of its tag says what it means. */
static bool add_tensor(const struct event *event, const struct tag *tag, struct cursor value, struct cursor tensor) {
    if (tag->tensor != SCALAR_TENSOR)
        return add_place(event, tag, tag->tensor, value);
    if (size_of(tensor) > LARGEST_SCALAR_TENSOR)
        return add_place(event, tag, event->walker->kinds[TENSOR], value);
    double number;
    return read_scalar_tensor(tensor, &number) && add_point(event, tag, number);
}

static bool is_known_metadata(const struct walker *walker, const struct tag *tag, struct cursor metadata) {
    size_t size = size_of(metadata);
    return tag->has_metadata && tag->metadata_size == size &&
           (!size || memcmp(walker->bytes + tag->metadata, metadata.at, size) == 0);
}

/* Adds one `Summary.Value`. Returns false to leave the record to Python. */
static bool add_value(const struct event *event, struct cursor value) {
    struct walker *walker = event->walker;
    struct cursor rest = value, parts[CONTENTS], name = {NULL, NULL};
    unsigned has = 0;
    float number = 0;
    while (rest.at < rest.end) {
        uint32_t key;
        enum content content;
        if (!read_key(&rest, &key) || (content = content_of(key)) == NONE || has & ONLY(content))
            return false;
        has |= ONLY(content);
        bool read = content <= SCALAR ? read_fixed(&rest, &number, sizeof number)
                                      : read_bytes(&rest, content == NAME ? &name : &parts[content]);
        if (!read)
            return false;
    }
    if (!(has & ONLY(NAME)))
        return false;
    ptrdiff_t found = find(walker, name.at, size_of(name));
    bool is_plain = has == (ONLY(NAME) | ONLY(SIMPLE)) || has == (ONLY(NAME) | ONLY(SCALAR));
    const struct tag *tag = found >= 0 ? &walker->tags[found] : is_plain ? learn_plain(walker, event->rows, name) : NULL;
    if (!tag)
        return false;
    bool metadata_is_known = true;
    if (has & ONLY(NINTH) && event->flavour == TENSORBOARD)
        metadata_is_known = is_known_metadata(walker, tag, parts[NINTH]);

    switch (has & ~(ONLY(NAME) | ONLY(NINTH))) {
    case ONLY(SIMPLE):
    case ONLY(SCALAR): return add_point(event, tag, number);
    case ONLY(IMAGE): return add_place(event, tag, walker->kinds[IMAGE], value);
    case ONLY(HISTO): return add_place(event, tag, walker->kinds[HISTO], value);
    case ONLY(AUDIO): return add_place(event, tag, walker->kinds[AUDIO], value);
    case ONLY(LANDSCAPE): return add_place(event, tag, walker->kinds[LANDSCAPE], value);
    case ONLY(TEXT): return add_place(event, tag, walker->kinds[TEXT], value);
    case ONLY(EXACT): return add_place(event, tag, walker->kinds[EXACT], value);
    case ONLY(TENSOR) | ONLY(EXACT):
    case ONLY(TENSOR):
        if (event->flavour == MINDSPORE)
            return add_place(event, tag, walker->kinds[TENSOR], value);
        return event->flavour == TENSORBOARD && metadata_is_known && add_tensor(event, tag, value, parts[TENSOR]);
    case 0:
        if (!(has & ONLY(NINTH)))
            return false;
        if (event->flavour == MINDSPORE)
            return add_place(event, tag, walker->kinds[NINTH], value);
        return event->flavour == TENSORBOARD && metadata_is_known && add_place(event, tag, tag->bare, value);
    default: return false;
    }
}

/* Adds all values of one `Event`. Returns false, perhaps with some added, to leave the record to Python. */
static bool add_event(struct event *event) {
    struct cursor rest = {event->payload, event->payload + event->length}, summary = {NULL, NULL}, value;
    bool has_wall = false, has_step = false, has_summary = false;
    while (rest.at < rest.end) {
        uint32_t key;
        uint64_t step;
        if (!read_key(&rest, &key))
            return false;
        if (key == FIXED64(1) && !has_wall && read_fixed(&rest, &event->wall, 8)) {
            has_wall = true;
        } else if (key == VARINT(2) && !has_step && read_varint(&rest, &step)) {
            memcpy(&event->step, &step, sizeof step);
            has_step = true;
        } else if (key == BYTES(5) && !has_summary && read_bytes(&rest, &summary)) {
            has_summary = true;
        } else {
            return false;
        }
    }
    if (!has_summary)
        return false;
    while (summary.at < summary.end) {
        uint32_t key;
        if (!read_key(&summary, &key) || key != BYTES(1) || !read_bytes(&summary, &value) || !add_value(event, value))
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------------------------------- exported functions */

#ifndef SOURCE
#define SOURCE "unknown"
#endif

/* The hash of the source that the library was compiled from. */
EXPORT const char *kernel_source(void) { return "walk.c " SOURCE; }

/* Sets whether checksums are computed by tables even if the processor has an instruction; for tests. */
EXPORT void use_tables(int tables) { crc_of = !tables && has_instruction() ? crc_by_instruction : crc_by_tables; }

/* Whether `size` bytes of `data` have the masked checksum `stored`; for tests. */
EXPORT int check(const uint8_t *data, size_t size, uint32_t stored) { return is_sound(data, size, stored); }

/* Makes the state for one file; NULL without memory. `seed` has 16 bytes, and `kinds` one byte per content. `bare` is
 * the kind of a value without content whose tag is learned here. */
EXPORT struct walker *walker_new(const uint8_t *seed, const uint8_t *kinds, uint8_t bare, size_t bytes_limit) {
    struct walker *walker = calloc(1, sizeof *walker);
    if (walker) {
        memcpy(walker->seed, seed, sizeof walker->seed);
        memcpy(walker->kinds, kinds, CONTENTS);
        walker->bare = bare;
        walker->bytes_limit = bytes_limit;
    }
    return walker;
}

EXPORT void walker_free(struct walker *walker) {
    if (!walker)
        return;
    free(walker->tags);
    free(walker->slots);
    free(walker->bytes);
    free(walker);
}

/* Learns a tag, or updates it. `metadata` is NULL if there is none. Returns whether there was room. */
EXPORT int walker_learn(struct walker *walker, const uint8_t *name, size_t size, int32_t index,
                        const uint8_t *metadata, size_t metadata_size, uint8_t tensor, uint8_t bare) {
    ptrdiff_t found = find(walker, name, size);
    struct tag *tag = found < 0 ? add_tag(walker, name, size) : &walker->tags[found];
    if (!tag)
        return 0;
    tag->index = index;
    tag->tensor = tensor;
    tag->bare = bare;
    keep_metadata(walker, tag, metadata, metadata_size);
    return 1;
}

/* The number of known tags. */
EXPORT size_t walker_count(const struct walker *walker) { return walker->count; }

/* The name and its size of the tag with this number, in the order of learning. */
EXPORT const uint8_t *walker_name(const struct walker *walker, size_t number, size_t *size) {
    *size = walker->tags[number].size;
    return walker->bytes + walker->tags[number].name;
}

enum { HEADER = 12, OVERHEAD = 16 };

/* Walks the window from `rows->position` to `size`, or to the first record that is left to Python.
 *
 * `offset` is the window's place in the file. Records longer than `longest` are left to Python. Afterwards
 * `rows->position` is the start of the next record. Returns whether it stopped because the rows are full.
 */
EXPORT int walk(struct walker *walker, const uint8_t *window, size_t size, uint64_t offset, uint64_t longest,
                int flavour, struct rows *rows) {
    while (size - rows->position >= HEADER) {
        const uint8_t *record = window + rows->position;
        size_t room = size - rows->position;
        uint64_t length = load64(record);
        if (!is_sound(record, 8, load32(record + 8)) || length > longest || length > room || room - length < OVERHEAD)
            return 0;
        if (!is_sound(record + HEADER, length, load32(record + HEADER + length)))
            return 0;
        struct event event = {.walker = walker,
                              .rows = rows,
                              .flavour = flavour,
                              .payload = record + HEADER,
                              .offset = offset + rows->position,
                              .length = (uint32_t)length};
        size_t points = rows->points_count, places = rows->places_count, tags = rows->tags, known = walker->count;
        if (!add_event(&event)) {
            bool full = rows->points_count == rows->points_room || rows->places_count == rows->places_room;
            rows->points_count = points;
            rows->places_count = places;
            rows->tags = tags;
            forget_behind(walker, known);
            return full && points + places;
        }
        rows->records++;
        rows->position += length + OVERHEAD;
    }
    return 0;
}

#include "scalars.h"
#include "small.h"

/* Sorts `count` rows of `row` bytes by group number, from 0 to groups - 1. The sort is stable.
 *
 * `starts` gets groups + 1 entries: the start of each group in `sorted`, and the count. Returns 0 if a number is out of
 * range.
 */
EXPORT int group(const int32_t *number, const uint8_t *rows, size_t row, size_t count, size_t groups, uint8_t *sorted,
                 uint64_t *starts) {
    memset(starts, 0, (groups + 1) * sizeof *starts);
    for (size_t at = 0; at < count; at++) {
        if (number[at] < 0 || (size_t)number[at] >= groups)
            return 0;
        starts[number[at] + 1]++;
    }
    for (size_t at = 0; at < groups; at++)
        starts[at + 1] += starts[at];
    /* starts[n] moves on with each row of group n, so in the end it is the start of group n + 1. */
    for (size_t at = 0; at < count; at++) {
        uint8_t *target = sorted + starts[number[at]]++ * row;
        if (row == sizeof(struct point))
            memcpy(target, rows + at * sizeof(struct point), sizeof(struct point));
        else
            memcpy(target, rows + at * row, row);
    }
    memmove(starts + 1, starts, groups * sizeof *starts);
    starts[0] = 0;
    return 1;
}
