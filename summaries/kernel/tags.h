/* The known tags of one file, in a hash table whose collisions no file can choose. */
#pragma once

#include <stdlib.h>

#include "checksum.h"

enum { SCALAR_TENSOR = 255, LONGEST_METADATA = 512, LARGEST_SCALAR_TENSOR = 1024, LONGEST_TAG = 1024 };

struct tag {
    uint64_t hash;
    size_t name, metadata; /* the start of their bytes in `bytes` */
    uint32_t size;
    uint32_t metadata_size, metadata_room;
    uint32_t next;       /* the tag that followed this one last time */
    int32_t index;       /* its number in Python */
    bool has_metadata;   /* if not, its metadata is unknown or too long to keep */
    uint8_t tensor;      /* TensorBoard: SCALAR_TENSOR, or the kind of its tensors */
    uint8_t bare;        /* TensorBoard: the kind of values that only have metadata */
};

/* The state for one file: its tags in a hash table with open addressing, at most half full. */
struct walker {
    uint64_t seed[2];
    struct tag *tags;
    uint32_t *slots; /* 1 + the number of a tag; 0 is free */
    uint8_t *bytes;
    size_t count, tags_room, slot_mask, bytes_used, bytes_room, bytes_limit;
    size_t last;
    uint8_t kinds[16]; /* the kind of a value by its content */
    uint8_t bare;      /* the kind of values without content, of tags without known metadata */
};

#define ROTATE(word, by) ((word) << (by) | (word) >> (64 - (by)))
#define SIP_ROUND                                                                                                      \
    do {                                                                                                               \
        v0 += v1, v1 = ROTATE(v1, 13) ^ v0, v0 = ROTATE(v0, 32);                                                       \
        v2 += v3, v3 = ROTATE(v3, 16) ^ v2;                                                                            \
        v0 += v3, v3 = ROTATE(v3, 21) ^ v0;                                                                            \
        v2 += v1, v1 = ROTATE(v1, 17) ^ v2, v2 = ROTATE(v2, 32);                                                       \
    } while (0)

/* SipHash-1-3 with a secret seed, so that no file can choose tags that collide. */
static uint64_t hash_of(const struct walker *walker, const uint8_t *data, size_t size) {
    uint64_t v0 = walker->seed[0] ^ 0x736f6d6570736575u, v1 = walker->seed[1] ^ 0x646f72616e646f6du;
    uint64_t v2 = walker->seed[0] ^ 0x6c7967656e657261u, v3 = walker->seed[1] ^ 0x7465646279746573u;
    uint64_t word = 0;
    size_t left = size;
    for (; left >= 8; data += 8, left -= 8) {
        word = load64(data);
        v3 ^= word;
        SIP_ROUND;
        v0 ^= word;
    }
    word = (uint64_t)size << 56;
    for (size_t byte = 0; byte < left; byte++)
        word |= (uint64_t)data[byte] << 8 * byte;
    v3 ^= word;
    SIP_ROUND;
    v0 ^= word;
    v2 ^= 0xFF;
    SIP_ROUND;
    SIP_ROUND;
    SIP_ROUND;
    return v0 ^ v1 ^ v2 ^ v3;
}

static bool is_named(const struct walker *walker, const struct tag *tag, const uint8_t *name, size_t size) {
    return tag->size == size && memcmp(walker->bytes + tag->name, name, size) == 0;
}

/* The number of a tag, or -1. Tags mostly come in the same order as before, which saves the hashing. */
static ptrdiff_t find(struct walker *walker, const uint8_t *name, size_t size) {
    if (!walker->count)
        return -1;
    size_t last = walker->last;
    size_t found = walker->tags[last].next;
    if (found >= walker->count || !is_named(walker, &walker->tags[found], name, size)) {
        uint64_t hash = hash_of(walker, name, size);
        size_t slot = hash & walker->slot_mask;
        for (;; slot = (slot + 1) & walker->slot_mask) {
            if (!walker->slots[slot])
                return -1;
            found = walker->slots[slot] - 1;
            if (walker->tags[found].hash == hash && is_named(walker, &walker->tags[found], name, size))
                break;
        }
        walker->tags[last].next = (uint32_t)found;
    }
    walker->last = found;
    return (ptrdiff_t)found;
}

static bool grow_tags(struct walker *walker) {
    size_t room = walker->tags_room ? 2 * walker->tags_room : 8;
    struct tag *tags = realloc(walker->tags, room * sizeof *tags);
    if (!tags)
        return false;
    walker->tags = tags;
    uint32_t *slots = calloc(2 * room, sizeof *slots);
    if (!slots)
        return false;
    free(walker->slots);
    walker->slots = slots;
    walker->slot_mask = 2 * room - 1;
    walker->tags_room = room;
    for (size_t number = 0; number < walker->count; number++) {
        size_t slot = tags[number].hash & walker->slot_mask;
        while (slots[slot])
            slot = (slot + 1) & walker->slot_mask;
        slots[slot] = (uint32_t)number + 1;
    }
    return true;
}

/* Reserves `size` more bytes permanently; returns false if there is no memory. */
static bool reserve(struct walker *walker, size_t size) {
    if (size > walker->bytes_limit - walker->bytes_used)
        return false;
    if (size <= walker->bytes_room - walker->bytes_used)
        return true;
    size_t room = walker->bytes_room ? 2 * walker->bytes_room : 256;
    while (room - walker->bytes_used < size)
        room *= 2;
    uint8_t *bytes = realloc(walker->bytes, room);
    if (!bytes)
        return false;
    walker->bytes = bytes;
    walker->bytes_room = room;
    return true;
}

static struct tag *add_tag(struct walker *walker, const uint8_t *name, size_t size) {
    if (walker->count == walker->tags_room && !grow_tags(walker))
        return NULL;
    if (walker->count == INT32_MAX || !reserve(walker, size))
        return NULL;
    struct tag *tag = &walker->tags[walker->count];
    *tag = (struct tag){.hash = hash_of(walker, name, size), .name = walker->bytes_used, .size = (uint32_t)size};
    memcpy(walker->bytes + walker->bytes_used, name, size);
    walker->bytes_used += size;
    size_t slot = tag->hash & walker->slot_mask;
    while (walker->slots[slot])
        slot = (slot + 1) & walker->slot_mask;
    walker->slots[slot] = (uint32_t)++walker->count;
    return tag;
}

/* Forgets all tags after the first `count`; none of the forgotten ones has metadata. */
static void forget_behind(struct walker *walker, size_t count) {
    while (walker->count > count) {
        /* The newest first: older tags were placed without it, so removing it breaks no chain of slots. */
        const struct tag *tag = &walker->tags[--walker->count];
        size_t slot = tag->hash & walker->slot_mask;
        while (walker->slots[slot] != walker->count + 1)
            slot = (slot + 1) & walker->slot_mask;
        walker->slots[slot] = 0;
        walker->bytes_used = tag->name;
    }
    if (walker->last >= count)
        walker->last = 0;
}

static void keep_metadata(struct walker *walker, struct tag *tag, const uint8_t *metadata, size_t size) {
    tag->has_metadata = false;
    if (!metadata || size > LONGEST_METADATA)
        return;
    if (size > tag->metadata_room) {
        /* Reserves the full size at once, so that metadata that grows repeatedly takes no more memory. */
        size_t room = tag->metadata_room ? LONGEST_METADATA : size;
        if (!reserve(walker, room))
            return;
        tag->metadata = walker->bytes_used;
        tag->metadata_room = (uint32_t)room;
        walker->bytes_used += room;
    }
    if (size)
        memcpy(walker->bytes + tag->metadata, metadata, size);
    tag->metadata_size = (uint32_t)size;
    tag->has_metadata = true;
}
