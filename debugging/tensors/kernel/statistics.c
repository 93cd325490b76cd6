/* Statistics of a tensor in one pass: extremes, sums and counts of kinds of elements; and its distance from another
 * one. library.py calls the functions with contiguous arrays; ../statistics.py does the same with numpy, and the tests
 * compare the two.
 *
 * The pass goes in blocks that fit the L1 cache, with one loop over a block's bits and one over its numbers. The bits
 * of floating-point numbers, mapped to integers of the same order, give extremes and kinds. Integer operations may be
 * reordered, so compilers vectorize them. Sums are in Float64, in LANES parts. The pieces of a tensor depend on its
 * size alone, so sums are the same on every machine and for any number of threads.
 */

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#ifndef SOURCE
#define SOURCE ""
#endif

#define EXPORT __attribute__((visibility("default")))
#define INLINE static inline __attribute__((always_inline))
#define LANES 16

#if defined(__GNUC__) && !defined(__clang__)
/* Lanes are only passed to inlined functions. */
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

/* The compiler translates each of these loops for several generations of processors. */
#if !defined(__x86_64__) || !defined(__GLIBC__) || !defined(__GNUC__) || defined(__clang__)
#define WIDE __attribute__((noinline)) static
#elif __GNUC__ >= 12
#define WIDE __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"), noinline)) static
#else
#define WIDE __attribute__((target_clones("avx512f", "avx2", "default"), noinline)) static
#endif

/* The hash of the source that the library was compiled from. */
EXPORT const char *kernel_source(void) {
    return "statistics.c " SOURCE;
}

struct statistics {
    double zeros, nans, pos_infs, neg_infs, negative, positive;
    double sum, sum_abs, sum_squares;
    double min, max, abs_min;
};

struct change {
    /* The sums of |x - y| and of |y| over elements that are finite in both, and their count. */
    double sum_change, sum_before, both;
    /* The count of elements with |x - y| > atol + rtol |y|, or of different kinds: finite, infinities, NaN. */
    double apart;
};

/* What is seen of one of many tensors: its change, and 1 if all its elements are finite. */
struct seen {
    struct change change;
    double finite;
};

#define BLOCK 2048
/* Threads share the pieces. The largest number of pieces, and the smallest number of elements of a piece. */
#define MOST_PIECES 64
#define LEAST_PIECE 65536

INLINE int64_t piece_of(int64_t count) {
    const int64_t even = (count + MOST_PIECES - 1) / MOST_PIECES, blocks = (even + BLOCK - 1) / BLOCK;
    return blocks * BLOCK > LEAST_PIECE ? blocks * BLOCK : LEAST_PIECE;
}

/* Work on the pieces from `first` to `last` (exclusive). */
typedef void work(void *given, int64_t first, int64_t last);

struct part {
    work *run;
    void *given;
    int64_t first, last;
};

static void *run_part(void *given) {
    struct part *part = given;
    part->run(part->given, part->first, part->last);
    return NULL;
}

/* Shares pieces, at most MOST_PIECES, among threads. A part whose thread cannot start runs in this one. */
static void spread(work *run, void *given, int64_t pieces, int threads) {
    struct part parts[MOST_PIECES];
    pthread_t ids[MOST_PIECES];
    int started[MOST_PIECES];
    const int64_t count = threads < pieces ? threads : pieces;
    if (count < 1)
        return;
    for (int64_t i = 0; i < count; i++)
        parts[i] = (struct part){run, given, pieces * i / count, pieces * (i + 1) / count};
    for (int64_t i = 1; i < count; i++)
        started[i] = !pthread_create(ids + i, NULL, run_part, parts + i);
    run_part(parts);
    for (int64_t i = 1; i < count; i++)
        if (started[i])
            pthread_join(ids[i], NULL);
        else
            run_part(parts + i);
}

/* A vector of Float64 numbers; two of these have LANES numbers. */
#define HALF (LANES / 2)
typedef double wide __attribute__((vector_size(8 * HALF)));
typedef int64_t wide_bits __attribute__((vector_size(8 * HALF)));
typedef float float32_half __attribute__((vector_size(4 * HALF)));
typedef double float64_half __attribute__((vector_size(8 * HALF)));
typedef int32_t float32_bits __attribute__((may_alias));
typedef int64_t float64_bits __attribute__((may_alias));

#define float32_MOST FLT_MAX
#define float64_MOST DBL_MAX
#define float32_INFINITY 0x7f800000
#define float64_INFINITY 0x7ff0000000000000
#define float32_SIZE INT32_MAX
#define float64_SIZE INT64_MAX
typedef uint32_t float32_unsigned;
typedef uint64_t float64_unsigned;

INLINE wide sizes_of(wide x) {
    return (wide)((wide_bits)x & INT64_MAX);
}

INLINE double sum_of(wide first, wide second) {
    double sum = 0;
    for (int lane = 0; lane < HALF; lane++)
        sum += first[lane] + second[lane];
    return sum;
}

#define STATISTICS(name, type)                                                                                         \
    INLINE wide name##_wide(const type *x) {                                                                           \
        name##_half loaded;                                                                                            \
        memcpy(&loaded, x, sizeof loaded);                                                                             \
        return __builtin_convertvector(loaded, wide);                                                                  \
    }                                                                                                                  \
    /* Bits as integers in the order of the numbers, and back; -0 comes right before 0. */                             \
    INLINE name##_bits name##_order(name##_bits bits) {                                                                \
        return bits ^ ((bits >> (8 * sizeof bits - 1)) & name##_SIZE);                                                 \
    }                                                                                                                  \
    INLINE double name##_number(name##_bits order) {                                                                   \
        const name##_bits bits = name##_order(order);                                                                  \
        type x;                                                                                                        \
        memcpy(&x, &bits, sizeof x);                                                                                   \
        return x == 0 ? 0 : x;                                                                                         \
    }                                                                                                                  \
    INLINE int name##_known(const type *x, int64_t count) {                                                            \
        const name##_bits *bits = (const name##_bits *)x;                                                              \
        name##_bits most = 0;                                                                                          \
        for (int64_t i = 0; i < count; i++) {                                                                          \
            const name##_bits size = bits[i] & name##_SIZE;                                                            \
            most = size > most ? size : most;                                                                          \
        }                                                                                                              \
        return most < name##_INFINITY;                                                                                 \
    }                                                                                                                  \
    /* A block with elements that are not finite: counts them, and replaces them by zeros in `known`. */               \
    static void name##_bad(const type *x, type *known, int64_t count, struct statistics *all) {                        \
        for (int64_t i = 0; i < count; i++) {                                                                          \
            const type value = x[i];                                                                                   \
            known[i] = 0;                                                                                              \
            if (value != value)                                                                                        \
                all->nans++;                                                                                           \
            else if (value > name##_MOST)                                                                              \
                all->pos_infs++;                                                                                       \
            else if (value < -name##_MOST)                                                                             \
                all->neg_infs++;                                                                                       \
            else {                                                                                                     \
                const type size = value < 0 ? -value : value;                                                          \
                known[i] = value;                                                                                      \
                all->zeros += value == 0, all->negative += value < 0, all->positive += value > 0;                      \
                all->min = value < all->min ? value : all->min;                                                        \
                all->max = value > all->max ? value : all->max;                                                        \
                all->abs_min = size > 0 && size < all->abs_min ? size : all->abs_min;                                  \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    WIDE void name##_of(const type *x, int64_t count, struct statistics *made) {                                       \
        struct statistics all = {0, 0, 0, 0, 0, 0, 0, 0, 0, INFINITY, -INFINITY, INFINITY};                            \
        wide sum[2] = {0}, sum_abs[2] = {0}, squares[2] = {0};                                                         \
        type known[BLOCK];                                                                                             \
        for (int64_t first = 0; first < count; first += BLOCK) {                                                       \
            const int64_t here = first + BLOCK < count ? BLOCK : count - first, rows = here - here % LANES;            \
            const type *seen = x + first;                                                                              \
            const name##_bits *bits = (const name##_bits *)seen;                                                       \
            name##_bits low = name##_SIZE, high = -name##_SIZE - 1;                                                    \
            /* The smallest magnitude, minus one: a zero wraps to the largest. */                                      \
            name##_unsigned least = -1;                                                                                \
            int32_t zeros = 0, minus = 0;                                                                              \
            for (int64_t i = 0; i < here; i++) {                                                                       \
                const name##_bits order = name##_order(bits[i]), size = bits[i] & name##_SIZE;                         \
                const name##_unsigned less = (name##_unsigned)size - 1;                                                \
                low = order < low ? order : low;                                                                       \
                high = order > high ? order : high;                                                                    \
                least = less < least ? less : least;                                                                   \
                zeros += size == 0;                                                                                    \
                minus += order < -1;                                                                                   \
            }                                                                                                          \
            if (high < name##_INFINITY && low > name##_order(name##_INFINITY | (-name##_SIZE - 1))) {                  \
                const double smallest = least == (name##_unsigned)-1 ? INFINITY : name##_number(least + 1);            \
                all.zeros += zeros, all.negative += minus, all.positive += here - zeros - minus;                       \
                all.min = name##_number(low) < all.min ? name##_number(low) : all.min;                                 \
                all.max = name##_number(high) > all.max ? name##_number(high) : all.max;                               \
                all.abs_min = smallest < all.abs_min ? smallest : all.abs_min;                                         \
            } else {                                                                                                   \
                name##_bad(seen, known, here, &all);                                                                   \
                seen = known;                                                                                          \
            }                                                                                                          \
            for (int64_t i = 0; i < rows; i += LANES)                                                                  \
                for (int part = 0; part < 2; part++) {                                                                 \
                    const wide value = name##_wide(seen + i + part * HALF);                                            \
                    sum[part] += value;                                                                                \
                    squares[part] += value * value;                                                                    \
                    sum_abs[part] += sizes_of(value);                                                                  \
                }                                                                                                      \
            for (int64_t i = rows; i < here; i++) {                                                                    \
                const double value = seen[i];                                                                          \
                all.sum += value, all.sum_squares += value * value, all.sum_abs += fabs(value);                        \
            }                                                                                                          \
        }                                                                                                              \
        all.sum += sum_of(sum[0], sum[1]);                                                                             \
        all.sum_abs += sum_of(sum_abs[0], sum_abs[1]);                                                                 \
        all.sum_squares += sum_of(squares[0], squares[1]);                                                             \
        *made = all;                                                                                                   \
    }                                                                                                                  \
    struct name##_whole {                                                                                              \
        const type *x, *y;                                                                                             \
        int64_t count, size;                                                                                           \
        double rtol, atol;                                                                                             \
        struct statistics *found;                                                                                      \
        struct change *moved;                                                                                          \
    };                                                                                                                 \
    static void name##_of_pieces(void *given, int64_t first, int64_t last) {                                           \
        const struct name##_whole *all = given;                                                                        \
        for (int64_t i = first; i < last; i++) {                                                                       \
            const int64_t at = i * all->size, here = at + all->size < all->count ? all->size : all->count - at;        \
            name##_of(all->x + at, here, all->found + i);                                                              \
        }                                                                                                              \
    }                                                                                                                  \
    EXPORT void name##_statistics(const type *x, int64_t count, struct statistics *made, int threads) {                \
        struct statistics found[MOST_PIECES];                                                                          \
        const int64_t size = piece_of(count), pieces = (count + size - 1) / size;                                      \
        struct name##_whole whole = {.x = x, .count = count, .size = size, .found = found};                            \
        spread(name##_of_pieces, &whole, pieces, threads);                                                             \
        struct statistics all = {0, 0, 0, 0, 0, 0, 0, 0, 0, INFINITY, -INFINITY, INFINITY};                            \
        for (int64_t i = 0; i < pieces; i++) {                                                                         \
            const struct statistics one = found[i];                                                                    \
            all.zeros += one.zeros, all.nans += one.nans, all.pos_infs += one.pos_infs, all.neg_infs += one.neg_infs;  \
            all.negative += one.negative, all.positive += one.positive;                                                \
            all.sum += one.sum, all.sum_abs += one.sum_abs, all.sum_squares += one.sum_squares;                        \
            all.min = one.min < all.min ? one.min : all.min;                                                           \
            all.max = one.max > all.max ? one.max : all.max;                                                           \
            all.abs_min = one.abs_min < all.abs_min ? one.abs_min : all.abs_min;                                       \
        }                                                                                                              \
        *made = all;                                                                                                   \
    }                                                                                                                  \
                                                                                                                       \
    WIDE int name##_all_known(const type *x, int64_t count) {                                                          \
        int known = 1;                                                                                                 \
        for (int64_t first = 0; first < count && known; first += BLOCK)                                                \
            known = name##_known(x + first, first + BLOCK < count ? BLOCK : count - first);                            \
        return known;                                                                                                  \
    }                                                                                                                  \
    /* Whether every element is finite. */                                                                             \
    EXPORT int64_t name##_finite(const type *x, int64_t count) {                                                       \
        return name##_all_known(x, count);                                                                             \
    }                                                                                                                  \
                                                                                                                       \
    WIDE int64_t name##_none(const type *x, int64_t count) {                                                           \
        int64_t zeros = 0;                                                                                             \
        for (int64_t first = 0; first < count; first += BLOCK) {                                                       \
            const int64_t here = first + BLOCK < count ? BLOCK : count - first;                                        \
            int32_t found = 0;                                                                                         \
            for (int64_t i = 0; i < here; i++)                                                                         \
                found += x[first + i] == 0;                                                                            \
            zeros += found;                                                                                            \
        }                                                                                                              \
        return zeros;                                                                                                  \
    }                                                                                                                  \
    /* The count of zeros. */                                                                                          \
    EXPORT int64_t name##_zeros(const type *x, int64_t count) {                                                        \
        return name##_none(x, count);                                                                                  \
    }                                                                                                                  \
                                                                                                                       \
    WIDE double name##_far(const type *x, double mean, int64_t count) {                                                \
        wide sum[2] = {0};                                                                                             \
        const int64_t rows = count - count % LANES;                                                                    \
        for (int64_t i = 0; i < rows; i += LANES)                                                                      \
            for (int part = 0; part < 2; part++) {                                                                     \
                const wide value = name##_wide(x + i + part * HALF), far = value - mean;                               \
                sum[part] += (wide)((wide_bits)(far * far) & (sizes_of(value) <= name##_MOST));                        \
            }                                                                                                          \
        double all = sum_of(sum[0], sum[1]);                                                                           \
        for (int64_t i = rows; i < count; i++)                                                                         \
            all += fabs(x[i]) <= name##_MOST ? (x[i] - mean) * (x[i] - mean) : 0;                                      \
        return all;                                                                                                    \
    }                                                                                                                  \
    /* The sum of squared differences of finite elements from a mean. */                                               \
    EXPORT double name##_deviation(const type *x, double mean, int64_t count) {                                        \
        return name##_far(x, mean, count);                                                                             \
    }                                                                                                                  \
                                                                                                                       \
    WIDE int64_t name##_between(const type *x, int64_t count, type low, type high) {                                   \
        int64_t inside = 0;                                                                                            \
        for (int64_t first = 0; first < count; first += BLOCK) {                                                       \
            const int64_t here = first + BLOCK < count ? BLOCK : count - first;                                        \
            int32_t found = 0;                                                                                         \
            for (int64_t i = 0; i < here; i++)                                                                         \
                found += (x[first + i] >= low) & (x[first + i] <= high);                                               \
            inside += found;                                                                                           \
        }                                                                                                              \
        return inside;                                                                                                 \
    }                                                                                                                  \
    /* The count of elements between two numbers (inclusive), which are rounded inwards to this type. */               \
    EXPORT int64_t name##_within(const type *x, int64_t count, double low, double high) {                              \
        type first = (type)low, last = (type)high;                                                                     \
        const type up = (type)INFINITY;                                                                                \
        first = first < low ? (type)nextafter##name(first, up) : first;                                                \
        last = last > high ? (type)nextafter##name(last, -up) : last;                                                  \
        return name##_between(x, count, first, last);                                                                  \
    }                                                                                                                  \
                                                                                                                       \
    static void name##_moved_bad(const type *x, const type *y, int64_t count, double rtol, double atol,                \
                                 struct change *all) {                                                                 \
        for (int64_t i = 0; i < count; i++) {                                                                          \
            const double now = x[i], then = y[i], size = fabs(then), step = fabs(now - then);                          \
            if (fabs(now) <= name##_MOST && size <= name##_MOST) {                                                     \
                all->sum_change += step, all->sum_before += size, all->both++;                                         \
                all->apart += step > atol + rtol * size;                                                               \
            } else                                                                                                     \
                all->apart += now != then;                                                                             \
        }                                                                                                              \
    }                                                                                                                  \
    WIDE void name##_moved(const type *x, const type *y, int64_t count, double rtol, double atol,                      \
                           struct change *made) {                                                                      \
        struct change all = {0};                                                                                       \
        wide moved[2] = {0}, before[2] = {0};                                                                          \
        wide_bits apart = {0};                                                                                         \
        for (int64_t first = 0; first < count; first += BLOCK) {                                                       \
            const int64_t here = first + BLOCK < count ? BLOCK : count - first, rows = here - here % LANES;            \
            const type *now = x + first, *then = y + first;                                                            \
            if (!(name##_known(now, here) & name##_known(then, here))) {                                               \
                name##_moved_bad(now, then, here, rtol, atol, &all);                                                   \
                continue;                                                                                              \
            }                                                                                                          \
            for (int64_t i = 0; i < rows; i += LANES)                                                                  \
                for (int part = 0; part < 2; part++) {                                                                 \
                    const wide was = name##_wide(then + i + part * HALF), size = sizes_of(was);                        \
                    const wide step = sizes_of(name##_wide(now + i + part * HALF) - was);                              \
                    moved[part] += step;                                                                               \
                    before[part] += size;                                                                              \
                    apart -= step > atol + rtol * size;                                                                \
                }                                                                                                      \
            all.both += rows;                                                                                          \
            name##_moved_bad(now + rows, then + rows, here - rows, rtol, atol, &all);                                  \
        }                                                                                                              \
        all.sum_change += sum_of(moved[0], moved[1]);                                                                  \
        all.sum_before += sum_of(before[0], before[1]);                                                                \
        for (int lane = 0; lane < HALF; lane++)                                                                        \
            all.apart += apart[lane];                                                                                  \
        *made = all;                                                                                                   \
    }                                                                                                                  \
    static void name##_moved_pieces(void *given, int64_t first, int64_t last) {                                        \
        const struct name##_whole *all = given;                                                                        \
        for (int64_t i = first; i < last; i++) {                                                                       \
            const int64_t at = i * all->size, here = at + all->size < all->count ? all->size : all->count - at;        \
            name##_moved(all->x + at, all->y + at, here, all->rtol, all->atol, all->moved + i);                        \
        }                                                                                                              \
    }                                                                                                                  \
    EXPORT void name##_change(const type *x, const type *y, int64_t count, double rtol, double atol,                   \
                              struct change *made, int threads) {                                                      \
        struct change found[MOST_PIECES], all = {0};                                                                   \
        const int64_t size = piece_of(count), pieces = (count + size - 1) / size;                                      \
        struct name##_whole whole = {x, y, count, size, rtol, atol, NULL, found};                                      \
        spread(name##_moved_pieces, &whole, pieces, threads);                                                          \
        for (int64_t i = 0; i < pieces; i++) {                                                                         \
            all.sum_change += found[i].sum_change, all.sum_before += found[i].sum_before;                              \
            all.both += found[i].both, all.apart += found[i].apart;                                                    \
        }                                                                                                              \
        *made = all;                                                                                                   \
    }                                                                                                                  \
    /* Many tensors in one call: the change of each that has a former value, else zeros; and whether it is finite. */  \
    EXPORT void name##_changes(const type *const *x, const type *const *y, const int64_t *counts, int64_t tensors,     \
                               double rtol, double atol, struct seen *made, int threads) {                             \
        for (int64_t i = 0; i < tensors; i++) {                                                                        \
            struct seen one = {{0}, 0};                                                                                \
            if (y[i])                                                                                                  \
                name##_change(x[i], y[i], counts[i], rtol, atol, &one.change, threads);                                \
            one.finite = (y[i] && one.change.both == counts[i]) || name##_finite(x[i], counts[i]);                     \
            made[i] = one;                                                                                             \
        }                                                                                                              \
    }

#define nextafterfloat32 nextafterf
#define nextafterfloat64 nextafter

STATISTICS(float32, float)
STATISTICS(float64, double)
