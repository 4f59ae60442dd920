// The interface of the library: plain C functions that return a code and throw nothing.
#pragma once
#include <cstdint>
#include <new>
#include <stdexcept>

#ifdef _WIN32
#define THRESHER_API extern "C" __declspec(dllexport)
#else
#define THRESHER_API extern "C" __attribute__((visibility("default")))
#endif

namespace thresher {

enum Code : int32_t { kDone = 0, kOutOfMemory = 1, kMisfit = 2, kFailed = 3 };

// Sizes of arrays that contradict each other: nothing was read beyond them.
struct Misfit : std::runtime_error {
  Misfit() : std::runtime_error("sizes of arrays contradict each other") {}
};

inline void require(bool condition) {
  if (!condition) throw Misfit();
}

// Run `body`; exceptions must not cross the C interface.
template <class Body>
int32_t guarded(Body body) noexcept {
  try {
    body();
    return kDone;
  } catch (const std::bad_alloc&) {
    return kOutOfMemory;
  } catch (const std::length_error&) {  // a vector beyond its largest size
    return kOutOfMemory;
  } catch (const Misfit&) {
    return kMisfit;
  } catch (...) {
    return kFailed;
  }
}

}  // namespace thresher
