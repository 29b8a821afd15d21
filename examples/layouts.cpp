// Layouts of a tile in shared memory: which thread has which elements, and what its accesses cost, without a swizzle and with
// one. 64 threads load 16 x 16 floats by rows, four adjacent floats each, store them in shared memory and read them by columns.
//
//   layouts [FOLDER]     FOLDER: where to write pictures, threads.svg, banks.svg and swizzled_banks.svg
#include <cstdio>
#include <fstream>
#include <string>

#include "weft/kernels/layout/banks.hpp"
#include "weft/kernels/layout/divide.hpp"
#include "weft/kernels/layout/text.hpp"
#include "weft/kernels/layout/thread_values.hpp"

namespace {

using namespace weft::kernels::layout;

constexpr Layout kThreads = row_major({16, 4}), kValues = row_major({1, 4});
constexpr Layout kLoads = thread_values(kThreads, kValues);  // (thread, value) -> (row, column)
constexpr Layout kPlain = row_major({16, 16});               // (row, column) -> index in shared memory
// A column of words of 16 bytes has the stride 4 words: combine the column with the row above the rows that span all banks.
constexpr Layout kSwizzled = swizzled({2, 2, 3}, kPlain);

/// Costs of storing words of 16 bytes by rows, as 32 threads do at once, and of loading eight of them from a column.
struct Cost {
  BankConflicts by_rows, by_columns;
};
constexpr Cost cost_of(const Layout& tile) {
  const Layout words = mode(composition(tile, kLoads), 0);  // thread -> the first element of its word
  const Layout rows = composition(words, Layout(32, 1));    // 32 threads
  const Layout columns = composition(tile, Layout(8, 1));   // rows 0 to 7 in column 0
  return {bank_conflicts(rows, sizeof(float), 16), bank_conflicts(columns, sizeof(float), 16)};
}

// Checked by the compiler: the swizzle removes all conflicts of the columns and adds none to the rows.
static_assert(cost_of(kPlain).by_columns.wavefronts == 4 && cost_of(kSwizzled).by_columns.conflicts() == 0);
static_assert(cost_of(kPlain).by_rows.conflicts() == 0 && cost_of(kSwizzled).by_rows.conflicts() == 0);

bool write(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  return static_cast<bool>(file);
}

}  // namespace

int main(int argc, char** argv) {
  std::printf("%s\n", print_threads(kLoads).c_str());
  for (const Layout& tile : {kPlain, kSwizzled}) {
    const Cost cost = cost_of(tile);
    std::printf("%-32s rows: %d wavefronts (at least %d), columns: %d (at least %d)\n", to_text(tile).c_str(),
                cost.by_rows.wavefronts, cost.by_rows.minimum, cost.by_columns.wavefronts, cost.by_columns.minimum);
  }
  // Tiles that do not fill a matrix are errors: of the compiler for constants, exceptions otherwise.
  try {
    std::printf("%s\n", to_text(zipped_divide(row_major({100, 64}), identity({16, 16}))).c_str());
    return 1;
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
  }
  if (argc < 2) return 0;
  const std::string folder = argv[1];
  return write(folder + "/threads.svg", print_threads_svg(kLoads)) &&
                 write(folder + "/banks.svg", print_svg(kPlain, Cells::bank)) &&
                 write(folder + "/swizzled_banks.svg", print_svg(kSwizzled, Cells::bank))
             ? 0
             : 1;
}
