#pragma once
/// CPU loops over the kernels.
#include <cstdint>
#include <span>
#include <variant>

#include "weft/flow/physics/flux.hpp"
#include "weft/flow/physics/limiter.hpp"
#include "weft/flow/physics/state_limits.hpp"
#include "weft/flow/scheme/kernels.hpp"
#include "weft/flow/scheme/numerics.hpp"

namespace weft::flow::detail {

using flow::FluxChoice;
using flow::LimiterChoice;

/// Cells or faces, in ascending order: of a list, or all in a row.
struct Indices {
  const std::int32_t* list;  ///< null: in a row
  std::int32_t first, count;

  [[nodiscard]] static Indices contiguous(std::int32_t first, std::int32_t last) { return {nullptr, first, last - first}; }
  [[nodiscard]] static Indices listed(std::span<const std::int32_t> list) {
    return {list.data(), 0, static_cast<std::int32_t>(list.size())};
  }
  [[nodiscard]] WEFT_FORCE_INLINE std::int32_t operator[](std::int32_t i) const { return list == nullptr ? first + i : list[i]; }
  /// Those from the from-th on and before the to-th.
  [[nodiscard]] Indices part(std::int32_t from, std::int32_t to) const {
    return {list == nullptr ? nullptr : list + from, list == nullptr ? first + from : 0, to - from};
  }
};

/// The cells that fluxes are added to: two runs of them. This is asked for both sides of every face.
class OwnRows {
 public:
  OwnRows(std::int32_t first, std::int32_t last, std::int32_t first_border, std::int32_t last_border)
      : first_(first),
        count_(static_cast<std::uint32_t>((last == first_border ? last_border : last) - first)),
        first_border_(first_border),
        border_count_(static_cast<std::uint32_t>(last_border - first_border)) {}

  [[nodiscard]] WEFT_FORCE_INLINE bool have(std::int32_t row) const {
    return static_cast<std::uint32_t>(row - first_) < count_ || static_cast<std::uint32_t>(row - first_border_) < border_count_;
  }

 private:
  std::int32_t first_;
  std::uint32_t count_;
  std::int32_t first_border_;
  std::uint32_t border_count_;
};

/// The state on one side of a face, as the loops hand it from cells to faces: a line of the cache.
struct alignas(64) FaceState {
  double values[8];  ///< primitive, then the ShockSensor of the cell, and zeros
};

/// What a Runge-Kutta stage reads and writes: owned rows x kVars, AoS, and owned cells.
struct UpdateView {
  double *conserved, *start;  ///< now; at the start of the step
  double* rates;              ///< of whole cells; zero afterwards
  double* values;             ///< primitive
  double* local_dt;           ///< s, at CFL 1; null: all cells step alike
  const double* inverse_volumes;
  const Vec3* projected_areas;
  IdealGas gas;
  StateLimits limits;    ///< of every cell
  double start_weight;   ///< as in RungeKuttaStage
  double dt, local_cfl;  ///< a cell steps dt, but local_cfl * local_dt at most
  bool first, last;  ///< stage of its step: the first writes start, and sums of rates; the last looks for the next stable step

  /// The same from this cell on.
  [[nodiscard]] WEFT_FORCE_INLINE UpdateView from(std::int64_t cell) const {
    UpdateView v = *this;
    for (double** rows : {&v.conserved, &v.start, &v.rates, &v.values}) *rows += cell * kVars;
    if (v.local_dt != nullptr) v.local_dt += cell;
    v.inverse_volumes += cell;
    v.projected_areas += cell;
    return v;
  }
};

struct UpdateReport {
  bool physical = true;             ///< every cell is within the limits
  double stable_dt = 0;             ///< s, of the least stable cell, after the last stage of physical cells
  double rate_squared[kVars] = {};  ///< sums of volume * rate^2, of the first stage: in an order of their own
};

/// u = start_weight * start + (1 - start_weight) * (u + dt * rate) for the cells first <= c < last, and their primitive values.
[[nodiscard]] UpdateReport update_loop(const UpdateView& v, std::int32_t first, std::int32_t last);

/// How many doubles the loops compute with at once on this machine: 8 where it has AVX-512, else 4. Results are the same.
[[nodiscard]] int simd_width();
/// Uses no more than `most`, 4 or 8, from now on: for tests and measurements.
void limit_simd_width(int most);

/// Limited gradients of these cells.
template <int Dim>
void gradient_loop(const ResidualView& v, const LimiterChoice& limiter, const Indices& cells);

/// Sensors of these cells, whose gradients are not made.
void sensor_loop(const ResidualView& v, const Indices& cells);

/// A side of a face whose cell's gradient is stored.
struct StoredSide {
  Vec3 to_face;          ///< from the cell's centroid to the face's
  std::int32_t row;  ///< the cell
  std::int32_t at;   ///< where its state goes
};

/// States of a block's cells on the sides of its faces, of the i-th of these in states[2 i] (left) and states[2 i + 1], and on
/// the far sides. Limited gradients of the cells are stored where they have other faces, too, whose states are left in
/// states[-1].
template <int Dim>
void state_loop(const ResidualView& v, const LimiterChoice& limiter, const Indices& cells, std::span<const StoredSide> stored,
                FaceState* states);

/// States on both sides of these faces, from stored gradients.
template <int Dim>
void side_loop(const ResidualView& v, const Indices& faces, FaceState* states);

/// Fluxes of these faces between two cells with those states, added to the residuals of own rows in face order.
template <int Dim>
void face_loop(const ResidualView& v, const FluxChoice& flux, const OwnRows& own, const Indices& faces, FaceState* states);

/// Fluxes of the faces first <= f < last of a boundary zone. @param prescribed  outside states by face - first, or null.
template <int Dim>
void boundary_face_loop(const ResidualView& v, const FluxChoice& flux, const BoundaryParams& params, const Primitive* prescribed,
                        std::int32_t first, std::int32_t last);

}  // namespace weft::flow::detail
