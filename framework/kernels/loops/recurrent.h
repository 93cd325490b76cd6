/* Recurrent layers over whole sequences (T, N, units), forward and backward.
 *
 * The weights are packed once; each step is one product of the hidden state, and the gates row by row (gates.h). The
 * rows of a batch are independent of each other, so threads share them out. From its length on, a row keeps its
 * states, and its output is 0. */

/* `Sequence` of recurrent.py. */
struct sequence {
    int64_t steps, batch, units, backwards;
    /* The number of steps of each row, or 0 if all rows have all steps. */
    const int64_t *lengths;
    /* For the products of a step, (N, gates * units). */
    float *product;
    /* Packed weights. */
    float *packed;
};

/* Packs the second factor of a product, by panels of up to 2 LANES columns. */
static void pack_factor(struct factor b, float *packed, int64_t inner, int64_t columns) {
    for (int64_t j = 0; j < columns; j += 2 * LANES) {
        const int64_t left = columns - j, here = left < 2 * LANES ? left : 2 * LANES;
        const int64_t width = here > LANES ? 2 * LANES : LANES;
        const struct factor panel = {b.x + j * b.down, b.down, b.along};
        copy_panel(panel, packed, here, width, inner);
        packed += inner * width;
    }
}

static void packed_product(const float *a, const float *packed, float *c, int64_t rows, int64_t inner,
                           int64_t columns) {
    const struct factor first = {a, inner, 1};
    for (int64_t j = 0; j < columns; j += 2 * LANES) {
        const int64_t left = columns - j, here = left < 2 * LANES ? left : 2 * LANES;
        const int64_t width = here > LANES ? 2 * LANES : LANES;
        panel_of(first, packed, width, c + j, columns, rows, here, inner);
        packed += inner * width;
    }
}

/* The step that is the i-th to be run. */
INLINE int64_t step_at(const struct sequence *s, int64_t i) {
    return s->backwards ? s->steps - 1 - i : i;
}

INLINE int is_over(const struct sequence *s, int64_t t, int64_t row) {
    return s->lengths && t >= s->lengths[row];
}

/* Runs the block for each row of a step, `n`; `at` is the row's place among all rows of the sequence. */
#define EACH_ROW(...)                                                                                                  \
    for (int64_t n = first; n < last; n++) {                                                                           \
        const int64_t at = t * s->batch + n;                                                                           \
        __VA_ARGS__                                                                                                    \
    }

static void lstm_rows(const struct sequence *s, const float *x, const float *bias, const float *memory_before,
                      float *states, float *memories, float *gates, float *state, int64_t first, int64_t last) {
    const int64_t units = s->units, wide = 4 * units;
    const float *before = memory_before;
    for (int64_t i = 0; i < s->steps; i++) {
        const int64_t t = step_at(s, i);
        packed_product(state + first * units, s->packed, s->product + first * wide, last - first, units, wide);
        EACH_ROW({
            float *made = states + at * units, *memory = memories + at * units;
            if (is_over(s, t, n)) {
                memset(made, 0, units * sizeof(float));
                memcpy(memory, before + n * units, units * sizeof(float));
                memset(gates + at * wide, 0, wide * sizeof(float));
                continue;
            }
            OF(lstm_row)(x + at * wide, s->product + n * wide, bias, before + n * units, gates + at * wide, memory, made,
                         units);
            memcpy(state + n * units, made, units * sizeof(float));
        })
        before = memories + t * s->batch * units;
    }
}

/* LSTM from a hidden state, which `state` holds and which becomes the last one, and a cell state. `x` has the
 * contributions of the inputs to the gates, `w` is of shape (4 units, units), `bias` has all biases. */
EXPORT void lstm(const struct sequence *s, const float *x, const float *memory_before, const float *w,
                 const float *bias, float *states, float *memories, float *gates, float *state, int threads) {
    const struct factor turned = {w, s->units, 1};
    pack_factor(turned, s->packed, s->units, 4 * s->units);
    SPREAD(s->batch, threads, lstm_rows(s, x, bias, memory_before, states, memories, gates, state, first, last))
}

/* Adds what the product gives to what is kept. */
static void add_up(float *kept, const float *product, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        kept[i] += product[i];
}

static void lstm_back_rows(const struct sequence *s, const float *memory_before, const float *memories,
                           const float *gates, const float *given, float *kept, float *dmemory, float *dgates,
                           int64_t first, int64_t last) {
    const int64_t units = s->units, wide = 4 * units;
    memset(s->product + first * units, 0, (last - first) * units * sizeof(float));
    for (int64_t i = s->steps - 1; i >= 0; i--) {
        const int64_t t = step_at(s, i);
        const float *before = i ? memories + step_at(s, i - 1) * s->batch * units : memory_before;
        EACH_ROW({
            if (is_over(s, t, n)) {
                add_up(kept + n * units, s->product + n * units, units);
                memset(dgates + at * wide, 0, wide * sizeof(float));
                continue;
            }
            OF(lstm_back_row)(gates + at * wide, before + n * units, memories + at * units, given + at * units,
             s->product + n * units, kept + n * units, dmemory + n * units, dgates + at * wide, units);
        })
        packed_product(dgates + (t * s->batch + first) * wide, s->packed, s->product + first * units, last - first,
                       wide, units);
    }
    add_up(kept + first * units, s->product + first * units, (last - first) * units);
}

/* The gradients, from those of the outputs. `dstate` and `dmemory` hold those of the last states, which become those of
 * the first. */
EXPORT void lstm_grad(const struct sequence *s, const float *memory_before, const float *w, const float *memories,
                      const float *gates, const float *given, float *dstate, float *dmemory, float *dgates,
                      int threads) {
    const struct factor straight = {w, 1, s->units};
    pack_factor(straight, s->packed, 4 * s->units, s->units);
    SPREAD(s->batch, threads,
           lstm_back_rows(s, memory_before, memories, gates, given, dstate, dmemory, dgates, first, last))
}

static void gru_rows(const struct sequence *s, const float *x, const float *bias, const float *other, float *states, float *gates,
                     float *state, int64_t first, int64_t last) {
    const int64_t units = s->units, wide = 3 * units;
    for (int64_t i = 0; i < s->steps; i++) {
        const int64_t t = step_at(s, i);
        packed_product(state + first * units, s->packed, s->product + first * wide, last - first, units, wide);
        EACH_ROW({
            float *made = states + at * units, *before = state + n * units;
            if (is_over(s, t, n)) {
                memset(made, 0, units * sizeof(float));
                memset(gates + at * 4 * units, 0, 4 * units * sizeof(float));
                continue;
            }
            OF(gru_row)(x + at * wide, s->product + n * wide, bias, other, before, gates + at * 4 * units, made, units);
            memcpy(before, made, units * sizeof(float));
        })
    }
}

/* GRU from a hidden state, which `state` holds and which becomes the last one. `x` has the contributions of the inputs
 * to the gates and `bias` their biases, `w` is of shape (3 units, units) and `other` has its biases. */
EXPORT void gru(const struct sequence *s, const float *x, const float *w, const float *bias, const float *other,
                float *states, float *gates, float *state, int threads) {
    const struct factor turned = {w, s->units, 1};
    pack_factor(turned, s->packed, s->units, 3 * s->units);
    SPREAD(s->batch, threads, gru_rows(s, x, bias, other, states, gates, state, first, last))
}

static void gru_back_rows(const struct sequence *s, const float *before, const float *gates, const float *given,
                          float *kept, float *dx, float *dproducts, int64_t first, int64_t last) {
    const int64_t units = s->units, wide = 3 * units;
    memset(s->product + first * units, 0, (last - first) * units * sizeof(float));
    for (int64_t i = s->steps - 1; i >= 0; i--) {
        const int64_t t = step_at(s, i);
        EACH_ROW({
            if (is_over(s, t, n)) {
                add_up(kept + n * units, s->product + n * units, units);
                memset(dx + at * wide, 0, wide * sizeof(float));
                memset(dproducts + at * wide, 0, wide * sizeof(float));
                continue;
            }
            OF(gru_back_row)(gates + at * 4 * units, before + at * units, given + at * units, s->product + n * units, kept + n * units,
             dx + at * wide, dproducts + at * wide, units);
        })
        packed_product(dproducts + (t * s->batch + first) * wide, s->packed, s->product + first * units, last - first,
                       wide, units);
    }
    add_up(kept + first * units, s->product + first * units, (last - first) * units);
}

/* The gradients, from those of the outputs. `before` has the hidden state in front of each step. `dstate` holds the
 * gradient of the last state, which becomes that of the first. */
EXPORT void gru_grad(const struct sequence *s, const float *w, const float *before, const float *gates,
                     const float *given, float *dstate, float *dx, float *dproducts, int threads) {
    const struct factor straight = {w, 1, s->units};
    pack_factor(straight, s->packed, 3 * s->units, s->units);
    SPREAD(s->batch, threads, gru_back_rows(s, before, gates, given, dstate, dx, dproducts, first, last))
}
