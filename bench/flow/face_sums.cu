// Cost of several ways to sum the fluxes through faces into cells on a GPU: one residual from given values and gradients (both
// states of each face reconstructed, HLLC), with variables of a row adjacent (AoS) and in columns (SoA).
//
//   bench_flow_face_sums [cells [cuda|host [hexahedra|tetrahedra|all [hilbert|rcm|as_read|all]]]]
//
// Runs in a periodic box of about this number of cells (2,097,152), on the first rank alone. Medians of 20 runs by the GPU's
// clock; `host` checks the program without a GPU, leaves out the form that needs one, and has no copy rate. Bytes are those that
// must move per cell: each datum of a kernel once, with perfect caches within a kernel and none between kernels. Every form is
// compared with the first, and runs twice. Prints a table, and the same as JSON on the last line. The exit code is 1 if a form is
// wrong or, except for atomics, does not give the same bits twice, or if there is an error; 2 if arguments are wrong.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "weft/array/array.hpp"
#include "weft/comm/environment.hpp"
#include "weft/device/device.hpp"
#include "weft/device/host_device_vector.hpp"
#include "weft/device/info.hpp"
#include "weft/device/parallel_for.cuh"
#include "weft/flow/physics/hllc.hpp"
#include "weft/flow/scheme/kernels.hpp"

#include "arguments.hpp"
#include "face_colours.hpp"
#include "gpu_timing.hpp"
#include "periodic_box.hpp"

namespace {

using namespace weft;
using flow::Conserved;
using flow::detail::kVars;

constexpr int kGradients = 3 * kVars;
constexpr int kGeometry = 9;  ///< numbers per face: area vector, cell-to-face vectors of the left and of the right row
constexpr double kTolerance = 1e-12;

/// The side of an array that loops in S read.
template <class S>
inline constexpr Side kSide = kRunsOnHost<S> ? Side::host : Side::device;

/// The input of all forms.
template <class L, class S>
struct Given {
  using Real = double;
  View<const double, kVars, L, S> values;
  View<const double, kGradients, L, S> gradients;
  View<const double, kGeometry, L, S> geometry;
  const std::int32_t *left, *right;  ///< rows on both sides of a face
  std::int32_t cells;                ///< owned cells: the first rows

  [[nodiscard]] WEFT_HD double value(std::int32_t row, int k) const { return values(row, k); }
  template <int Dim>
  [[nodiscard]] WEFT_HD double gradient(std::int32_t row, int k, int d) const {
    return gradients(row, flow::detail::gradient_index(k, d));
  }
  [[nodiscard]] WEFT_HD Vec3 vector(std::int32_t f, int k) const {
    return {geometry(f, k), geometry(f, k + 1), geometry(f, k + 2)};
  }
  /// Returns the flux out of the left row, through the whole face.
  [[nodiscard]] WEFT_HD Conserved operator()(std::int32_t f) const {
    const Vec3 area = vector(f, 0);
    const double inverse = flow::detail::inverse_root(dot(area, area));
    const auto inside = flow::detail::reconstruct<3>(*this, left[f], vector(f, 3));
    const auto behind = flow::detail::reconstruct<3>(*this, right[f], vector(f, 6));
    return (dot(area, area) * inverse) * flow::HllcFlux{}(flow::IdealGas{}, inside, behind, inverse * area);
  }
};

template <class L, class S>
using Rows = View<double, kVars, L, S>;

template <class L, class S>
WEFT_HD void put(const Rows<L, S>& rows, std::int32_t i, const Conserved& u) {
  for (int k = 0; k < kVars; ++k) rows(i, k) = u[k];
}

template <class L, class S>
struct Stored {
  Rows<L, S> fluxes;
  [[nodiscard]] WEFT_HD Conserved operator()(std::int32_t f) const {
    Conserved flux;
    for (int k = 0; k < kVars; ++k) flux[k] = fluxes(f, k);
    return flux;
  }
};
template <class L, class S>
struct Store {
  Given<L, S> given;
  Rows<L, S> fluxes;
  WEFT_HD void operator()(std::int32_t f) const { put(fluxes, f, given(f)); }
};
/// Sums `flux` over the faces of each cell, in their order; face f is listed as ~f if the cell is its right one.
template <class Flux, class L, class S>
struct Gather {
  Flux flux;
  const std::int32_t *offset, *side;
  Rows<L, S> residual;
  WEFT_HD void operator()(std::int32_t c) const {
    Conserved sum;
    for (std::int32_t s = offset[c]; s < offset[c + 1]; ++s) {
      if (side[s] >= 0) {
        sum -= flux(side[s]);
      } else {
        sum += flux(~side[s]);
      }
    }
    put(residual, c, sum);
  }
};
struct Zero {
  double* x;
  WEFT_HD void operator()(std::int64_t i) const { x[i] = 0; }
};
template <class L, class S>
struct ScatterAtomic {
  Given<L, S> given;
  Rows<L, S> residual;
  __device__ void operator()(std::int32_t f) const {
    const Conserved flux = given(f);
    const std::int32_t l = given.left[f], r = given.right[f];
    for (int k = 0; k < kVars; ++k) {
      atomicAdd(&residual(l, k), -flux[k]);
      if (r < given.cells) atomicAdd(&residual(r, k), flux[k]);
    }
  }
};
/// Adds fluxes to both cells of each face. @pre no two faces of one loop share a cell.
template <class L, class S>
struct Scatter {
  Given<L, S> given;
  Rows<L, S> residual;
  std::int32_t first;
  WEFT_HD void operator()(std::int32_t i) const {
    const std::int32_t f = first + i, l = given.left[f], r = given.right[f];
    const Conserved flux = given(f);
    for (int k = 0; k < kVars; ++k) {
      residual(l, k) -= flux[k];
      if (r < given.cells) residual(r, k) += flux[k];
    }
  }
};

/// Faces in some order, and rows, in memory that the loops can access.
template <class L, class S>
struct Faces {
  HostDeviceVector<std::int32_t> left, right;
  Array<double, kGeometry> geometry;
  Faces(const mesh::Mesh& m, const std::vector<std::int32_t>& order, Backend backend)
      : left(order.size(), backend), right(order.size(), backend), geometry(m.faces(), L::kLayout, backend) {
    const auto l = left.span(), r = right.span();
    const auto table = geometry.view<L>();
    for (std::size_t i = 0; i < order.size(); ++i) {
      const mesh::LocalFaceId f(order[i]);
      l[i] = m.face_left[f].value(), r[i] = m.face_right[f].value();
      const Vec3 area = m.face_area[f] * m.face_normal[f];
      const Vec3 from_left = m.face_centroid[f] - m.cell_centroid[m.face_left[f]];
      const Vec3 from_right = m.face_centroid[f] - m.cell_centroid[m.face_right[f]];
      for (int k = 0; k < 3; ++k) table(i, k) = area[k], table(i, k + 3) = from_left[k], table(i, k + 6) = from_right[k];
    }
    left.to_device(After()).wait(), right.to_device(After()).wait(), geometry.to_device(After()).wait();
  }
};
template <class L, class S>
struct States {
  Array<double, kVars> values;
  Array<double, kGradients> gradients;
  States(const mesh::Mesh& m, Backend backend)
      : values(m.cells(), L::kLayout, backend), gradients(m.cells(), L::kLayout, backend) {
    constexpr double kMean[kVars] = {1, 1, 0.5, -0.3, 1}, kTurn = 6.28318530717958648;
    const auto v = values.view<L>();
    const auto g = gradients.view<L>();
    for (const mesh::LocalCellId i : m.cell_volume.ids()) {
      const Vec3 x = m.cell_centroid[i];
      for (int k = 0; k < kVars; ++k) {
        const double phase = kTurn * (x.x + x.y + x.z) + k;
        v(i, k) = kMean[k] + 0.1 * std::sin(phase);
        for (int d = 0; d < 3; ++d) g(i, flow::detail::gradient_index(k, d)) = 0.1 * kTurn * std::cos(phase);
      }
    }
    values.to_device(After()).wait(), gradients.to_device(After()).wait();
  }
  [[nodiscard]] Given<L, S> with(const Faces<L, S>& faces, std::int32_t cells) const {
    return {values.view<L, S>(),
            gradients.view<L, S>(),
            faces.geometry.template view<L, S>(),
            faces.left.read(kSide<S>).data(),
            faces.right.read(kSide<S>).data(),
            cells};
  }
};

/// Returns the largest difference of a variable's sums, relative to its largest; infinite if one is not finite.
double difference(const std::vector<double>& a, const std::vector<double>& reference) {
  double size[kVars] = {}, apart[kVars] = {}, worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!std::isfinite(a[i]) || !std::isfinite(reference[i])) return std::numeric_limits<double>::infinity();
    size[i % kVars] = std::max(size[i % kVars], std::abs(reference[i]));
    apart[i % kVars] = std::max(apart[i % kVars], std::abs(a[i] - reference[i]));
  }
  for (int k = 0; k < kVars; ++k) worst = std::max(worst, apart[k] / size[k]);
  return worst;
}

/// A form of the residual, its name and its bytes.
struct Form {
  const char* name;
  int kernels;
  double bytes;       ///< per cell
  bool reproducible;  ///< promises the same bits
};

/// The lines so far, printed immediately.
struct Table {
  double copy = 0;  ///< bytes per second; 0: not measured
  bool good = true;
  std::string json;

  static void head() {
    std::printf("%-10s %-7s %-6s %-24s %8s %7s %9s %8s %10s %12s %6s %10s\n", "elements", "order", "layout", "form", "cells",
                "kernels", "us", "M/s", "bytes/cell", "of copy rate", "bits", "difference");
  }
  void add(const std::string& mesh, const std::string& order, const char* layout, const Form& form, std::int32_t cells,
           double seconds, bool same_bits, double apart) {
    const double share = copy > 0 ? cells * form.bytes / seconds / copy : 0;
    std::printf("%-10s %-7s %-6s %-24s %8d %7d %9.1f %8.0f %10.0f %11.0f%% %6s %10.1e\n", mesh.c_str(), order.c_str(), layout,
                form.name, cells, form.kernels, 1e6 * seconds, 1e-6 * cells / seconds, form.bytes, 100 * share,
                same_bits ? "same" : "differ", apart);
    char line[400];
    std::snprintf(line, sizeof line,
                  R"(%s{"elements":"%s","order":"%s","layout":"%s","form":"%s","cells":%d,"kernels":%d,"seconds":%.4g,)"
                  R"("bytes":%.0f,"of_copy_rate":%.3f,"same_bits":%s,"difference":"%.1e"})",
                  json.empty() ? "" : ",", mesh.c_str(), order.c_str(), layout, form.name, cells, form.kernels, seconds,
                  form.bytes, share, same_bits ? "true" : "false", apart);
    json += line;
    if (apart > kTolerance) {
      good = false;
      std::fprintf(stderr, "bench_flow_face_sums: error: %s, %s: off by %.1e, more than %.0e\n", form.name, layout, apart,
                   kTolerance);
    }
    if (form.reproducible && !same_bits) {
      good = false;
      std::fprintf(stderr, "bench_flow_face_sums: error: %s, %s: a second run gave other bits\n", form.name, layout);
    }
  }
};

/// Runs all forms with one layout. @param reference  the sums of the first form, computed if it is empty.
template <class L, class S>
void measure(Table& table, const mesh::Mesh& m, const Colours& colours, const std::string& elements, const std::string& order,
             std::vector<double>& reference) {
  constexpr Backend kBackend = kRunsOnHost<S> ? Backend::host : Backend::cuda;
  Stream stream = Stream::for_backend(kBackend);
  const std::int32_t cells = m.owned_cells, faces = m.faces();
  std::vector<std::int32_t> in_order(m.face_area.size());
  std::iota(in_order.begin(), in_order.end(), 0);
  const States<L, S> states(m, kBackend);
  const Faces<L, S> as_built(m, in_order, kBackend), by_colour(m, colours.faces, kBackend);
  const auto given = states.with(as_built, cells), coloured = states.with(by_colour, cells);

  HostDeviceVector<std::int32_t> offset(static_cast<std::size_t>(cells) + 1, kBackend),
      side(m.cell_faces.entries().size(), kBackend);
  const auto host_offset = offset.span(), host_side = side.span();
  for (std::size_t c = 0; c <= static_cast<std::size_t>(cells); ++c) {
    host_offset[c] = static_cast<std::int32_t>(m.cell_faces.offsets()[c]);
    if (c == static_cast<std::size_t>(cells)) break;
    for (auto s = static_cast<std::size_t>(m.cell_faces.offsets()[c]);
         s < static_cast<std::size_t>(m.cell_faces.offsets()[c + 1]); ++s) {
      const mesh::LocalFaceId f = m.cell_faces.entries()[s];
      host_side[s] = m.face_left[f].index() == c ? f.value() : ~f.value();
    }
  }
  offset.to_device(After()).wait(), side.to_device(After()).wait();
  const std::int32_t *const offsets = offset.read(kSide<S>).data(), *const sides = side.read(kSide<S>).data();
  Array<double, kVars> sums(cells, L::kLayout, kBackend), stored(faces, L::kLayout, kBackend);
  sums.to_device(After()).wait(), stored.to_device(After()).wait();
  const auto residual = sums.view<L, S>(), fluxes = stored.view<L, S>();

  const auto result = [&](const auto& work) {
    work();
    stream.wait();
    static_cast<void>(sums.view<L, S>());  // written: the other side becomes stale
    sums.to_host(After()).wait();
    std::vector<double> rows;
    for (std::int32_t c = 0; c < cells; ++c) {
      for (int k = 0; k < kVars; ++k) rows.push_back(std::as_const(sums).template view<L>()(c, k));
    }
    return rows;
  };
  const auto add = [&](const Form& form, const auto& work) {
    const std::vector<double> first = result(work), second = result(work);
    if (reference.empty()) reference = first;
    const bool same = std::memcmp(first.data(), second.data(), first.size() * sizeof(double)) == 0;
    table.add(elements, order, L::kLayout == Layout::aos ? "AoS" : "SoA", form, cells, bench::median_seconds(stream, work), same,
              difference(first, reference));
  };
  const auto zero = [&] { parallel_for(S{}, stream, std::int64_t{kVars} * cells, Zero{residual.data()}); };

  // Faces and sides of faces per cell; bytes of a row or sum, of a face, and of the list of a cell's faces.
  const double per_cell = static_cast<double>(faces) / cells, sides_of_cell = static_cast<double>(side.size()) / cells;
  constexpr double kRow = 8 * (kVars + kGradients), kFace = 8 * kGeometry + 2 * 4, kSum = 8 * kVars;
  const double list = 4 * (sides_of_cell + 1), once = kRow + per_cell * kFace;
  add({"gather, fluxes twice", 1, once + list + kSum, true}, [&] {
    parallel_for(S{}, stream, cells, Gather<Given<L, S>, L, S>{given, offsets, sides, residual});
  });
  add({"fluxes stored, gather", 2, once + 2 * per_cell * kSum + list + kSum, true}, [&] {
    parallel_for(S{}, stream, faces, Store<L, S>{given, fluxes});
    parallel_for(S{}, stream, cells, Gather<Stored<L, S>, L, S>{{fluxes}, offsets, sides, residual});
  });
  if constexpr (!kRunsOnHost<S>) {
    add({"scatter, atomics", 2, once + 3 * kSum, false}, [&] {
      zero();
      parallel_for(S{}, stream, faces, ScatterAtomic<L, S>{given, residual});
    });
  }
  const int count = static_cast<int>(colours.begin.size()) - 1;
  add({"scatter, by colours", 1 + count, kSum + per_cell * kFace + sides_of_cell * (kRow + 2 * kSum), true}, [&] {
    zero();
    for (std::size_t k = 0; k + 1 < colours.begin.size(); ++k) {
      parallel_for(S{}, stream, colours.begin[k + 1] - colours.begin[k], Scatter<L, S>{coloured, residual, colours.begin[k]});
    }
  });
}

template <class S>
bool measure_all(const Communicator& comm, std::int64_t cells, const std::string& only, const std::string& order, double copy) {
  Table table{.copy = copy, .good = true, .json = {}};
  Table::head();
  for (const std::string elements : {"hexahedra", "tetrahedra"}) {
    for (const std::string word : {"hilbert", "rcm", "as_read"}) {
      if ((only != "all" && only != elements) || (order != "all" && order != word)) continue;
      const mesh::Mesh m = bench::periodic_box(comm, elements, 3, cells, *bench::cell_ordering(word));
      const Colours colours(m);
      std::vector<double> reference;
      measure<Aos, S>(table, m, colours, elements, word, reference);
      measure<Soa, S>(table, m, colours, elements, word, reference);
    }
  }
  std::printf("{\"bench\":\"flow/face_sums\",\"copy_bytes_per_s\":%.4g,\"rows\":[%s]}\n", copy, table.json.c_str());
  return table.good;
}

}  // namespace

int main(int argc, char** argv) {
  const MpiEnvironment mpi(argc, argv);
  if (!Communicator::world().is_root()) return 0;
  const Communicator comm = Communicator::self();
  std::int64_t cells = 2097152;
  std::string where = "cuda", elements = "all", order = "hilbert";
  bench::Arguments arguments("bench_flow_face_sums",
                             "Measures several ways to sum the fluxes through faces into cells on a GPU.");
  arguments.add("cells", cells, "Cells of generated meshes, about");
  arguments.add("where", where, "Where to compute", {"cuda", "host"});
  arguments.add("elements", elements, "Element type", {"all", "hexahedra", "tetrahedra"});
  arguments.add("order", order, "Order of the cells", {"all", "hilbert", "rcm", "as_read"});
  if (const auto ends = arguments.parse(argc, argv)) return *ends;
  try {
    if (where == "host") return measure_all<space::host>(comm, cells, elements, order, 0) ? 0 : 1;
    if (device_count() == 0) {
      std::printf("nothing to measure: %s\n", cuda_unavailable_reason().c_str());
      return 0;
    }
    const double copy = measure_bandwidth(current_device()).copy;
    std::printf("%s, copy %.0f GB/s, fp64, HLLC without a limiter\n", cuda_info().devices[0].name.c_str(), 1e-9 * copy);
    return measure_all<space::cuda>(comm, cells, elements, order, copy) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_flow_face_sums: error: %s\n", error.what());
    return 1;
  }
}
