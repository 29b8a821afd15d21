// Check::accesses of tasks on a device, with the mirror as the device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/device/device_vector.hpp"
#include "weft/task/graph.hpp"

#include "task/ring.hpp"

namespace weft::task::test::device_access_test {
namespace {

using ::testing::HasSubstr;

/// Arrays u and v with an inner row, and the number dt, on both sides.
struct Program {
  Ring ring{Backend::mirror};
  HostDeviceVector<double> dt{1, Backend::mirror, "dt"};
  Graph g{ring.comm};
  DataId u = g.add_array("u", ring.u, 1), v = g.add_array("v", ring.v, 1), n = g.add_number("dt", dt);

  Program() {
    for (int i = 0; i < kRows; ++i) ring.u(i, 0) = ring.v(i, 0) = 1;
    dt[0] = 1;
  }
  [[nodiscard]] double* on_device(Field& field) const { return field.view<Aos, space::mirror>().data(); }
  [[nodiscard]] int behind() const { return ring.plan.find(GlobalRow(ring.behind())).value(); }
  /// Returns the error of a task on the device with these accesses.
  [[nodiscard]] std::string run(std::vector<Access> accesses, std::function<void(Stream&)> body) {
    g.add_task("kernel", std::move(accesses), on(device), std::move(body));
    return error_of<ContractError>([&] { g.compile(2, Check::accesses).run(2); });
  }
};

TEST(DeviceAccesses, FindsAReadOfGhostRows) {
  Program p;
  if (p.ring.comm.size() == 1) GTEST_SKIP() << "one rank has no ghost rows";
  const std::string message = p.run({reads(p.u, Part::owned), writes(p.v)}, [&](Stream&) {
    for (int i = 0; i < kRows; ++i) p.on_device(p.ring.v)[i] = p.on_device(p.ring.u)[p.behind()];
  });
  EXPECT_THAT(message, HasSubstr("task 'kernel': it reads the ghost rows of 'u' on the device, which it does not state to read"));
}

TEST(DeviceAccesses, FindsAReadOfTheOtherSide) {
  Program p;
  const std::string message =
      p.run({reads(p.u), reads_writes(p.v)}, [&](Stream&) { p.on_device(p.ring.v)[2] += std::as_const(p.ring.u)(1, 0); });
  EXPECT_THAT(message, HasSubstr("it reads the border rows of 'u' on the host, which it does not state to read"));
  Program q;
  EXPECT_THAT(q.run({reads_writes(q.v)}, [&](Stream&) { q.on_device(q.ring.v)[2] += q.dt.read(Side::device)[0]; }),
              HasSubstr("it reads the number 'dt' on the device"));
}

TEST(DeviceAccesses, FindsAWriteAndRestoresIt) {
  Program p;
  const std::string message = p.run({reads(p.u), reads_writes(p.v)}, [&](Stream&) { p.on_device(p.ring.u)[3] = 5; });
  EXPECT_THAT(message, HasSubstr("it writes the border rows of 'u' on the device (row 3), which it states to read only"));
  p.ring.u.to_host(After(), p.ring.u.space().owned()).wait();
  EXPECT_EQ(std::as_const(p.ring.u)(3, 0), 1);
  Program q;
  EXPECT_THAT(q.run({reads_writes(q.v)}, [&](Stream&) { q.dt.write(Side::device)[0] = 2; }),
              HasSubstr("it writes the number 'dt' on the device, which it does not state"));
  Program r;
  EXPECT_THAT(r.run({writes(r.v)}, [&](Stream&) { r.on_device(r.ring.v)[0] = r.on_device(r.ring.v)[1] = 1; }),
              HasSubstr("it does not overwrite the border rows of 'v' on the device (row 2), or reads before"));
}

TEST(DeviceAccesses, FindsWhatATaskOfTheHostAccessesOnTheDevice) {
  Program p;
  p.g.add_task("kernel", {reads_writes(p.u)}, on(device), [](Stream&) {});
  p.g.add_task("on the host", {reads_writes(p.v)}, [&] { p.ring.v(2, 0) = p.on_device(p.ring.u)[2]; });
  EXPECT_THAT(error_of<ContractError>([&] { p.g.compile(1, Check::accesses).run(); }),
              HasSubstr("task 'on the host': it reads the border rows of 'u' on the device"));
}

TEST(DeviceAccesses, IntegersAreNotPoisonedButCompared) {
  for (const bool writes_it : {false, true}) {
    Program p;
    ArrayPair<std::int32_t> next(p.ring.plan, Layout::aos, Backend::mirror);
    for (int i = 0; i < kRows; ++i) next(i, 0) = i;
    const DataId id = p.g.add_array("next", next);
    p.g.add_task("look", {reads(id, Part::owned)}, on(device), [](Stream&) {});
    const std::string message = p.run({reads_writes(p.v)}, [&](Stream&) {
      std::int32_t* const list = next.view<Aos, space::mirror>().data();
      p.on_device(p.ring.v)[list[2]] += 1;  // would be a wild access with poison
      if (writes_it) list[0] = 7;
    });
    EXPECT_THAT(message,
                HasSubstr(writes_it ? "it writes the border rows of 'next' on the device (row 0), which it does not state" : ""));
    EXPECT_EQ(message.empty(), !writes_it) << message;
  }
}

/// A program with memory outside arrays: two numbers, and a flag.
struct ProgramWithMemory : Program {
  DeviceVector<double> sums{Backend::mirror, std::vector<double>{1, 2}};
  DeviceVector<float> narrow{Backend::mirror, std::vector<float>{3}};
  DeviceVector<std::int32_t> flags{Backend::mirror, std::vector<std::int32_t>{4}};
  DataId s = g.add_memory("sums", sums.span()), w = g.add_memory("narrow", narrow.span()),
         f = g.add_memory("flags", flags.span()), none = g.add_memory("none", DeviceVector<double>().span());
};

TEST(DeviceAccesses, FindsAccessesToMemory) {
  {
    ProgramWithMemory p;
    const std::string message = p.run({reads_writes(p.v)}, [&](Stream&) { p.on_device(p.ring.v)[2] += p.sums.data()[1]; });
    EXPECT_THAT(message, HasSubstr("task 'kernel': it reads the memory 'sums', which it does not state to read"));
    EXPECT_EQ(p.sums.data()[1], 2);
  }
  {
    ProgramWithMemory p;
    EXPECT_THAT(p.run({reads(p.w), writes(p.s)}, [&](Stream&) { p.sums.data()[0] = p.sums.data()[1]; }),
                HasSubstr("it does not overwrite the memory 'sums', or reads before"));
  }
  {
    ProgramWithMemory p;
    EXPECT_THAT(p.run({reads_writes(p.s)}, [&](Stream&) { p.sums.data()[0] = static_cast<double>(p.narrow.data()[0]); }),
                HasSubstr("it computes with invalid operands: it reads one of"));  // conversion drops the payload
  }
  {
    ProgramWithMemory p;
    EXPECT_THAT(p.run({reads(p.s), reads(p.f)}, [&](Stream&) { p.sums.data()[1] = 5; }),
                HasSubstr("it writes the memory 'sums', which it states to read only"));
    EXPECT_EQ(p.sums.data()[1], 2) << "what was written is not restored";
  }
  ProgramWithMemory p;
  EXPECT_THAT(p.run({reads(p.s)}, [&](Stream&) { p.flags.data()[0] = 5; }),
              HasSubstr("it writes the memory 'flags', which it does not state"));
  EXPECT_EQ(p.flags.data()[0], 4);
}

TEST(DeviceAccesses, StatedAccessesToMemoryPass) {
  ProgramWithMemory p;
  EXPECT_EQ(p.run({reads(p.f), reads(p.w), reads(p.none), reads_writes(p.s)},
                  [&](Stream&) { p.sums.data()[p.flags.data()[0] - 4] += static_cast<double>(p.narrow.data()[0]); }),
            "");
  EXPECT_EQ(p.sums.data()[0], 7);
}

TEST(DeviceAccesses, MemoryWithoutAnAddressIsRefused) {
  Program p;
  const DataId faces = p.g.add_memory("faces");
  EXPECT_THAT(p.run({writes(faces)}, [](Stream&) {}),
              HasSubstr("accesses to the memory 'faces' cannot be checked, because its address is unknown"));
  p.g.compile().run();
}

TEST(DeviceAccesses, EnqueuedIterationsAreCheckedToo) {
  Program p;
  p.g.add_task("kernel", {reads(p.u), writes(p.v)}, on(device), [&](Stream&) {
    for (int i = 0; i < kRows; ++i) p.on_device(p.ring.v)[i] = 1;
    p.on_device(p.ring.u)[0] = 2;
  });
  Plan plan = p.g.compile(1, Check::accesses);
  plan.enqueue(host_stream());
  EXPECT_THAT(error_of<ContractError>([&] { plan.finish(); }), HasSubstr("it writes the inner rows of 'u' on the device"));
}

}  // namespace
}  // namespace weft::task::test::device_access_test
