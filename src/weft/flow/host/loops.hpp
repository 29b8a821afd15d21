#pragma once
/// Loops over the kernels on a CPU.
#include <cstdint>
#include <span>
#include <variant>

#include "weft/flow/physics/flux.hpp"
#include "weft/flow/physics/limiter.hpp"
#include "weft/flow/physics/state_limits.hpp"
#include "weft/flow/scheme/numerics.hpp"
#include "weft/flow/scheme/residual_view.hpp"

namespace weft::flow::detail {

using flow::FluxChoice;
using flow::LimiterChoice;

/// Indices of cells or faces in ascending order: a list, or a contiguous range.
struct Indices {
  const std::int32_t* list;  ///< null: contiguous
  std::int32_t first, count;

  [[nodiscard]] static Indices contiguous(std::int32_t first, std::int32_t last) { return {nullptr, first, last - first}; }
  [[nodiscard]] static Indices listed(std::span<const std::int32_t> list) {
    return {list.data(), 0, static_cast<std::int32_t>(list.size())};
  }
  [[nodiscard]] WEFT_FORCE_INLINE std::int32_t operator[](std::int32_t i) const { return list == nullptr ? first + i : list[i]; }
  /// Returns entries from ... to - 1.
  [[nodiscard]] Indices part(std::int32_t from, std::int32_t to) const {
    return {list == nullptr ? nullptr : list + from, list == nullptr ? first + from : 0, to - from};
  }
};

/// The cells to which a thread adds fluxes: two ranges. have() is called for both sides of every face.
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

/// The reconstructed state on one side of a face, in one cache line.
struct alignas(64) FaceState {
  double values[8];  ///< primitive variables, then the ShockSensor of the cell, and zeros
};

/// Input and output of a Runge-Kutta stage: owned rows x kVars, AoS, and owned cells.
struct UpdateView {
  double *conserved, *start;  ///< present state; state at the start of the step
  double* rates;              ///< rates of whole cells; zero afterwards
  double* values;             ///< primitive variables
  double* local_dt;           ///< s, at CFL 1; null: all cells have the same step
  const double* inverse_volumes;
  const Vec3* projected_areas;
  IdealGas gas;
  StateLimits limits;    ///< limits of the states
  double start_weight;   ///< as in RungeKuttaStage
  double dt, local_cfl;  ///< the step of a cell is dt, but at most local_cfl * local_dt
  bool first, last;      ///< stage of its step: the first writes start and sums of rates, the last the stable step

  /// Returns the view that begins at this cell.
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
  double rate_squared[kVars] = {};  ///< sums of volume * rate^2, of the first stage, in a fixed order
};

/// Computes u = start_weight * start + (1 - start_weight) * (u + dt * rate) for the cells first <= c < last, and their primitive
/// values.
[[nodiscard]] UpdateReport update_loop(const UpdateView& v, std::int32_t first, std::int32_t last);

/// Returns the SIMD width of the loops on this machine: 8 doubles with AVX-512, otherwise 4. Results do not depend on it.
[[nodiscard]] int simd_width();
/// Limits the SIMD width to `most`, 4 or 8: for tests and measurements.
void limit_simd_width(int most);

/// Computes and stores the limited gradients of these cells.
template <int Dim>
void gradient_loop(const ResidualView& v, const LimiterChoice& limiter, const Indices& cells);

/// Computes the sensors of these cells, which have no gradients.
void sensor_loop(const ResidualView& v, const Indices& cells);

/// A side of a face whose cell has a stored gradient.
struct StoredSide {
  Vec3 to_face;      ///< cell-to-face vector
  std::int32_t row;  ///< the cell
  std::int32_t at;   ///< slot of its state
};

/// Computes the states of a block's cells on the sides of its faces, those of the i-th in states[2 i] (left) and states[2 i + 1],
/// and on the sides in `stored`. Stores the limited gradients of cells that have other faces, too; the states there are written
/// to the unused states[-1].
template <int Dim>
void state_loop(const ResidualView& v, const LimiterChoice& limiter, const Indices& cells, std::span<const StoredSide> stored,
                FaceState* states);

/// Computes the states on both sides of these faces from stored gradients.
template <int Dim>
void side_loop(const ResidualView& v, const Indices& faces, FaceState* states);

/// Computes the fluxes of these faces between two cells with those states, and adds them to the residuals of own rows in face
/// order.
template <int Dim>
void face_loop(const ResidualView& v, const FluxChoice& flux, const OwnRows& own, const Indices& faces, FaceState* states);

/// Computes the fluxes of the faces first <= f < last of a boundary zone. @param prescribed  exterior states by face - first, or
/// null.
template <int Dim>
void boundary_face_loop(const ResidualView& v, const FluxChoice& flux, const BoundaryParams& params, const Primitive* prescribed,
                        std::int32_t first, std::int32_t last);

}  // namespace weft::flow::detail
