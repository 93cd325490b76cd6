/* Reads whole small files of plain numbers, many in one call: opening, checking, walking and counting.
 *
 * A directory may contain thousands of them, and Python's work per file takes longer than reading its content. Included by
 * walk.c after `walk`. An unusual file gives no rows and is left to Python.
 */
#pragma once

#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

/* The result of one file; Python has the same structures. */
struct small_file {
    int64_t device, inode, size; /* of the file that was read */
    int64_t flavour;             /* UNKNOWN if it is left to Python */
    int64_t records, points, series;
    int64_t lowest_step, highest_step;
    double first_wall, lowest_wall, highest_wall; /* `first_wall` is the time of the first point in the file */
};

/* One tag of a file. */
struct small_series {
    int64_t count, first_step, last_step, not_finite;
    double first_wall, last_wall, last_value, low, high, total; /* `low` is above `high` if no value is finite */
    int64_t name_size;
};

/* The buffers of the results, and their used lengths. */
struct small {
    struct small_file *files;
    struct small_series *series;
    struct point *points; /* grouped by series, in the order of `series` */
    uint8_t *names;       /* one after another, in the same order */
    size_t series_room, points_room, names_room;
    size_t series_count, points_count, names_size;
    size_t longest; /* longer files are left to Python */
    size_t most;    /* and files with a series of more points */
};

/* The buffers that all files of a call share. */
struct desk {
    struct walker *walker;
    uint8_t *content;
    struct rows rows;
    size_t *behind; /* the index of the next point of each tag */
};

static int64_t read_whole(int descriptor, uint8_t *content, size_t size) {
    size_t read_so_far = 0;
    while (read_so_far < size) {
        ssize_t got = pread(descriptor, content + read_so_far, size - read_so_far, (off_t)read_so_far);
        if (got <= 0)
            return -1;
        read_so_far += (size_t)got;
    }
    return (int64_t)size;
}

/* Reads a file into the buffer; returns whether it was read completely. */
static bool take_file(const char *path, const struct small *small, struct desk *desk, struct small_file *file) {
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (descriptor < 0)
        return false;
    struct stat status;
    bool good = !fstat(descriptor, &status) && S_ISREG(status.st_mode) && status.st_size > 0 &&
                (uint64_t)status.st_size <= small->longest;
    if (good) {
        file->device = (int64_t)status.st_dev;
        file->inode = (int64_t)status.st_ino;
        file->size = status.st_size;
        good = read_whole(descriptor, desk->content, (size_t)status.st_size) == status.st_size;
    }
    close(descriptor);
    return good;
}

/* The flavour by a version record that has nothing else but its time and step. */
static enum flavour flavour_of(struct cursor event) {
    static const char mindspore[] = "MindSpore.Event", tensorboard[] = "brain.Event";
    struct cursor version = {NULL, NULL};
    double wall;
    uint64_t step;
    while (event.at < event.end) {
        uint32_t key;
        if (!read_key(&event, &key))
            return UNKNOWN;
        bool read = key == FIXED64(1)  ? read_fixed(&event, &wall, 8)
                    : key == VARINT(2) ? read_varint(&event, &step)
                    : key == BYTES(3)  ? !version.at && read_bytes(&event, &version)
                                       : false;
        if (!read)
            return UNKNOWN;
    }
    size_t size = size_of(version);
    if (size >= sizeof mindspore - 1 && !memcmp(version.at, mindspore, sizeof mindspore - 1))
        return MINDSPORE;
    return size >= sizeof tensorboard - 1 && !memcmp(version.at, tensorboard, sizeof tensorboard - 1) ? TENSORBOARD
                                                                                                       : UNKNOWN;
}

/* Skips the first record, which has to be a version record; leaves the flavour UNKNOWN if it is another one. */
static enum flavour pass_head(const uint8_t *content, size_t size, size_t *position) {
    if (size < OVERHEAD)
        return UNKNOWN;
    uint64_t length = load64(content);
    if (!is_sound(content, 8, load32(content + 8)) || length > size - OVERHEAD ||
        !is_sound(content + HEADER, length, load32(content + HEADER + length)))
        return UNKNOWN;
    *position = length + OVERHEAD;
    return flavour_of((struct cursor){content + HEADER, content + HEADER + length});
}

/* Groups the points by tag after those of earlier files. */
static void sort_points(const struct small *small, struct desk *desk, size_t tags) {
    const struct rows *rows = &desk->rows;
    const struct small_series *series = small->series + small->series_count;
    size_t next = small->points_count;
    for (size_t tag = 0; tag < tags; tag++) {
        desk->behind[tag] = next;
        next += (size_t)series[tag].count;
    }
    for (size_t row = 0; row < rows->points_count; row++)
        small->points[desk->behind[rows->tag[row]]++] = rows->points[row];
}

/* Summarizes one series; returns false if it has an unusual step or time. */
static bool look_at_series(const struct point *points, struct small_series *series) {
    const struct point *last = points + series->count - 1;
    double low = INFINITY, high = -INFINITY, total = 0;
    int64_t not_finite = 0;
    for (const struct point *point = points; point <= last; point++) {
        if (!isfinite(point->wall) || (point > points && point->step < point[-1].step))
            return false;
        if (isfinite(point->value)) {
            low = point->value < low ? point->value : low;
            high = point->value > high ? point->value : high;
            total += point->value;
        } else {
            not_finite++;
        }
    }
    series->first_step = points->step;
    series->last_step = last->step;
    series->first_wall = points->wall;
    series->last_wall = last->wall;
    series->last_value = last->value;
    series->low = low;
    series->high = high;
    series->total = total;
    series->not_finite = not_finite;
    return true;
}

static void look_at_file(const struct rows *rows, struct small_file *file) {
    file->points = (int64_t)rows->points_count;
    file->first_wall = file->lowest_wall = file->highest_wall = rows->points_count ? rows->points->wall : 0;
    file->lowest_step = file->highest_step = rows->points_count ? rows->points->step : 0;
    for (const struct point *point = rows->points; point < rows->points + rows->points_count; point++) {
        file->lowest_wall = point->wall < file->lowest_wall ? point->wall : file->lowest_wall;
        file->highest_wall = point->wall > file->highest_wall ? point->wall : file->highest_wall;
        file->lowest_step = point->step < file->lowest_step ? point->step : file->lowest_step;
        file->highest_step = point->step > file->highest_step ? point->step : file->highest_step;
    }
}

/* Walks the file in the buffer and adds it; returns false to leave it to Python. */
static bool add_file(struct small *small, struct desk *desk, struct small_file *file) {
    struct rows *rows = &desk->rows;
    struct walker *walker = desk->walker;
    size_t size = (size_t)file->size;
    forget_behind(walker, 0);
    rows->points_count = rows->places_count = rows->records = rows->tags = 0;
    enum flavour flavour = pass_head(desk->content, size, &rows->position);
    if (flavour == UNKNOWN)
        return false;
    walk(walker, desk->content, size, 0, small->longest, flavour, rows);
    if (rows->position != size)
        return false;
    struct small_series *series = small->series + small->series_count;
    size_t names_size = small->names_size;
    for (size_t tag = 0; tag < walker->count; tag++) {
        series[tag].count = 0;
        series[tag].name_size = walker->tags[tag].size;
        memcpy(small->names + names_size, walker->bytes + walker->tags[tag].name, walker->tags[tag].size);
        names_size += walker->tags[tag].size;
    }
    for (size_t row = 0; row < rows->points_count; row++)
        series[rows->tag[row]].count++;
    sort_points(small, desk, walker->count);
    size_t first = small->points_count;
    for (size_t tag = 0; tag < walker->count; tag++) {
        if ((uint64_t)series[tag].count > small->most || !look_at_series(small->points + first, &series[tag]))
            return false;
        first += (size_t)series[tag].count;
    }
    look_at_file(rows, file);
    file->records = (int64_t)rows->records + 1;
    file->series = (int64_t)walker->count;
    file->flavour = flavour;
    small->series_count += walker->count;
    small->points_count = first;
    small->names_size = names_size;
    return true;
}

/* The smallest records and tags of one file may fill the rest of the buffers. */
static bool has_room(const struct small *small, size_t points, size_t tags) {
    return small->points_room - small->points_count >= points && small->series_room - small->series_count >= tags &&
           small->names_room - small->names_size >= small->longest;
}

/* Reads the files at `paths`, each ended by a zero, until the next one may find no space.
 *
 * `seed`, `kinds` and `bare` are those of `walker_new`. `points` and `tags` are the limits of one file; a file
 * with more is left to Python. Returns the number of handled files, or -1 if there is no memory.
 */
EXPORT int64_t read_small_files(const uint8_t *seed, const uint8_t *kinds, uint8_t bare, const char *paths, size_t count,
                                size_t points, size_t tags, struct small *small) {
    struct desk desk = {.walker = walker_new(seed, kinds, bare, small->longest)};
    desk.content = malloc(small->longest);
    desk.behind = malloc(tags * sizeof *desk.behind);
    desk.rows = (struct rows){.points = malloc(points * sizeof *desk.rows.points),
                              .tag = malloc(points * sizeof *desk.rows.tag),
                              .points_room = points,
                              .tags_room = tags};
    int64_t done = -1;
    if (desk.walker && desk.content && desk.behind && desk.rows.points && desk.rows.tag) {
        small->series_count = small->points_count = small->names_size = 0;
        for (done = 0; (size_t)done < count && has_room(small, points, tags); done++, paths += strlen(paths) + 1) {
            struct small_file *file = &small->files[done];
            memset(file, 0, sizeof *file);
            if (take_file(paths, small, &desk, file))
                add_file(small, &desk, file);
        }
    }
    walker_free(desk.walker);
    free(desk.content);
    free(desk.behind);
    free(desk.rows.points);
    free(desk.rows.tag);
    return done;
}
