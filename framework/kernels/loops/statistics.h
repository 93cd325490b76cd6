/* What is known of a tensor after going through it once: extremes, sums, and how many elements are of which kind; and how
 * far it is from another one. Sums are in Float64, in LANES parts, the same for any machine.
 */

struct statistics {
    double zeros, nans, pos_infs, neg_infs, negative, positive;
    double sum, sum_abs, sum_squares;
    double min, max, abs_min;
};

struct change {
    /* Of elements that are finite in both: the sums of |x - y| and of |y|, and how many there are. */
    double sum_change, sum_before, both;
    /* Elements with |x - y| > atol + rtol |y|, or of which one is finite and the other is not, or another one. */
    double apart;
};

/* So many elements are gone through several times while they are in the cache, each time for something else: loops that
 * do one thing become vector instructions, one loop that does everything does not. */
#define BLOCK 2048
#define float32_MOST FLT_MAX
#define float64_MOST DBL_MAX

#define float32_size fabsf
#define float64_size fabs

#define STATISTICS(name, type)                                                                                         \
    WIDE void name##_of(const type *x, int64_t count, struct statistics *made) {                                       \
        struct statistics all = {0, 0, 0, 0, 0, 0, 0, 0, 0, INFINITY, -INFINITY, INFINITY};                            \
        double sum[LANES] = {0}, sum_abs[LANES] = {0}, squares[LANES] = {0};                                           \
        type low[LANES], high[LANES], least[LANES], known[BLOCK], size[BLOCK];                                         \
        for (int lane = 0; lane < LANES; lane++) {                                                                     \
            low[lane] = least[lane] = (type)INFINITY;                                                                  \
            high[lane] = -(type)INFINITY;                                                                              \
        }                                                                                                              \
        for (int64_t first = 0; first < count; first += BLOCK) {                                                       \
            const int64_t here = first + BLOCK < count ? BLOCK : count - first, rows = here - here % LANES;            \
            const type *seen = x + first;                                                                              \
            int32_t zero = 0, nan = 0, up = 0, down = 0, minus = 0, plus = 0;                                          \
            for (int64_t i = 0; i < here; i++) {                                                                       \
                zero += seen[i] == 0;                                                                                  \
                nan += seen[i] != seen[i];                                                                             \
                up += seen[i] > name##_MOST;                                                                           \
                down += seen[i] < -name##_MOST;                                                                        \
                minus += seen[i] < 0;                                                                                  \
                plus += seen[i] > 0;                                                                                   \
            }                                                                                                          \
            all.zeros += zero, all.nans += nan, all.pos_infs += up, all.neg_infs += down;                              \
            all.negative += minus - down, all.positive += plus - up;                                                   \
            const type *finite = seen;                                                                                 \
            if (nan | up | down) {                                                                                     \
                /* What is not finite is left out of sums as a zero, of extremes as one that is there already. */      \
                for (int64_t i = 0; i < here; i++)                                                                     \
                    known[i] = name##_size(seen[i]) <= name##_MOST ? seen[i] : 0;                                      \
                finite = known;                                                                                        \
            }                                                                                                          \
            for (int64_t i = 0; i < here; i++)                                                                         \
                size[i] = name##_size(finite[i]);                                                                      \
            for (int64_t i = 0; i < rows; i += LANES)                                                                  \
                for (int lane = 0; lane < LANES; lane++) {                                                             \
                    const double value = finite[i + lane];                                                             \
                    sum[lane] += value;                                                                                \
                    squares[lane] += value * value;                                                                    \
                }                                                                                                      \
            for (int64_t i = 0; i < rows; i += LANES)                                                                  \
                for (int lane = 0; lane < LANES; lane++)                                                               \
                    sum_abs[lane] += size[i + lane];                                                                   \
            for (int64_t i = rows; i < here; i++) {                                                                    \
                const double value = finite[i];                                                                        \
                sum[i - rows] += value, squares[i - rows] += value * value, sum_abs[i - rows] += size[i];              \
            }                                                                                                          \
            if (nan | up | down) {                                                                                     \
                for (int64_t i = 0; i < here; i++)                                                                     \
                    if (name##_size(seen[i]) <= name##_MOST) {                                                         \
                        low[0] = seen[i] < low[0] ? seen[i] : low[0];                                                  \
                        high[0] = seen[i] > high[0] ? seen[i] : high[0];                                               \
                    }                                                                                                  \
            } else {                                                                                                   \
                for (int64_t i = 0; i < rows; i += LANES)                                                              \
                    for (int lane = 0; lane < LANES; lane++) {                                                         \
                        low[lane] = seen[i + lane] < low[lane] ? seen[i + lane] : low[lane];                           \
                        high[lane] = seen[i + lane] > high[lane] ? seen[i + lane] : high[lane];                        \
                    }                                                                                                  \
                for (int64_t i = rows; i < here; i++) {                                                                \
                    low[0] = seen[i] < low[0] ? seen[i] : low[0];                                                      \
                    high[0] = seen[i] > high[0] ? seen[i] : high[0];                                                   \
                }                                                                                                      \
            }                                                                                                          \
            for (int64_t i = 0; i < here; i++)                                                                         \
                size[i] = size[i] > 0 ? size[i] : (type)INFINITY;                                                      \
            for (int64_t i = here; i % LANES; i++)                                                                     \
                size[i] = (type)INFINITY;                                                                              \
            for (int64_t i = 0; i < here; i += LANES)                                                                  \
                for (int lane = 0; lane < LANES; lane++)                                                               \
                    least[lane] = size[i + lane] < least[lane] ? size[i + lane] : least[lane];                         \
        }                                                                                                              \
        for (int lane = 0; lane < LANES; lane++) {                                                                     \
            all.sum += sum[lane], all.sum_abs += sum_abs[lane], all.sum_squares += squares[lane];                      \
            all.min = low[lane] < all.min ? low[lane] : all.min;                                                       \
            all.max = high[lane] > all.max ? high[lane] : all.max;                                                     \
            all.abs_min = least[lane] < all.abs_min ? least[lane] : all.abs_min;                                       \
        }                                                                                                              \
        *made = all;                                                                                                   \
    }                                                                                                                  \
    EXPORT void name##_statistics(const type *x, int64_t count, struct statistics *made) {                             \
        name##_of(x, count, made);                                                                                     \
    }                                                                                                                  \
                                                                                                                       \
    WIDE double name##_far(const type *x, double mean, int64_t count) {                                                \
        double sum[LANES] = {0};                                                                                       \
        for (int64_t i = 0; i < count; i++) {                                                                          \
            const type value = x[i], size = value < 0 ? -value : value;                                                \
            const double far = size <= name##_MOST ? value - mean : 0;                                                 \
            sum[i % LANES] += far * far;                                                                               \
        }                                                                                                              \
        double all = 0;                                                                                                \
        for (int lane = 0; lane < LANES; lane++)                                                                       \
            all += sum[lane];                                                                                          \
        return all;                                                                                                    \
    }                                                                                                                  \
    /* The sum of squares of what finite elements are away from a mean. */                                             \
    EXPORT double name##_deviation(const type *x, double mean, int64_t count) {                                        \
        return name##_far(x, mean, count);                                                                             \
    }                                                                                                                  \
                                                                                                                       \
    WIDE int64_t name##_between(const type *x, int64_t count, double low, double high) {                               \
        int64_t inside = 0;                                                                                            \
        for (int64_t i = 0; i < count; i++)                                                                            \
            inside += (x[i] >= low) & (x[i] <= high);                                                                  \
        return inside;                                                                                                 \
    }                                                                                                                  \
    EXPORT int64_t name##_within(const type *x, int64_t count, double low, double high) {                              \
        return name##_between(x, count, low, high);                                                                    \
    }                                                                                                                  \
                                                                                                                       \
    WIDE void name##_moved(const type *x, const type *y, int64_t count, double rtol, double atol,                      \
                           struct change *made) {                                                                      \
        double moved[LANES] = {0}, before[LANES] = {0};                                                                \
        int64_t both = 0, apart = 0;                                                                                   \
        for (int64_t i = 0; i < count; i++) {                                                                          \
            const double now = x[i], then = y[i], size = fabs(then);                                                   \
            const int known = (fabs(now) <= name##_MOST) & (size <= name##_MOST);                                      \
            const double step = known ? fabs(now - then) : 0;                                                          \
            moved[i % LANES] += step;                                                                                  \
            before[i % LANES] += known ? size : 0;                                                                     \
            both += known;                                                                                             \
            apart += known ? step > atol + rtol * size : now != then;                                                  \
        }                                                                                                              \
        struct change all = {0, 0, (double)both, (double)apart};                                                       \
        for (int lane = 0; lane < LANES; lane++)                                                                       \
            all.sum_change += moved[lane], all.sum_before += before[lane];                                             \
        *made = all;                                                                                                   \
    }                                                                                                                  \
    EXPORT void name##_change(const type *x, const type *y, int64_t count, double rtol, double atol,                   \
                              struct change *made) {                                                                   \
        name##_moved(x, y, count, rtol, atol, made);                                                                   \
    }

STATISTICS(float32, float)
STATISTICS(float64, double)
