#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace sluice {

/// Owns a file descriptor, or none: closes it in the destructor, and leaves errno as it is. Not
/// thread-safe.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) noexcept : number_(number) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  /// Closes its own before it takes the other's.
  Descriptor& operator=(Descriptor&& other) noexcept {
    reset(other.release());
    return *this;
  }

  int get() const { return number_; }  ///< Negative if there is none.
  explicit operator bool() const { return number_ >= 0; }
  /// Closes it, and owns `number` from then on.
  void reset(int number = -1) noexcept;
  /// Returns it; the caller has to close it.
  int release() noexcept { return std::exchange(number_, -1); }

 private:
  int number_;
};

/// A descriptor (pidfd) of the process that has the number now, and of no later one; readable once
/// it has ended. The process need not be a child. None, with errno, if that fails, as it does
/// before Linux 5.3.
Descriptor open_pidfd(pid_t process) noexcept;

/// The number of descriptors this process may have open.
std::uint64_t descriptor_limit();

/// Whether a call failed with this errno for lack of descriptors of this process or of the host, so
/// that it may succeed later.
bool is_lack_of_descriptors(int error);

/// The number of descriptors this process has open, one of them for counting them.
std::uint64_t open_descriptors();

/// Raises the limit to the hard limit, because every connection, every watched process and every
/// job takes some. Returns the new limit.
std::uint64_t raise_descriptor_limit();

/// Has an epoll descriptor report, with its number, when `descriptor` becomes readable.
void watch_readable(int epoll, int descriptor);

/// What can be read of a descriptor, up to `most` bytes; nullopt, with errno, if that fails.
std::optional<std::string> read_up_to(int descriptor, std::size_t most);

/// Writes the bytes, in several calls if need be. Returns how many it wrote: fewer than there are
/// if the kernel refused the rest, with the reason in errno.
std::size_t write_all(int descriptor, std::string_view bytes);

}  // namespace sluice
