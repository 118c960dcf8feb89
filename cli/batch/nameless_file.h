#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/descriptors.h"

namespace sluice::cli {

/// A file without a name, which disappears with its last descriptor.
class NamelessFile {
 public:
  explicit NamelessFile(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}

  int descriptor() const { return descriptor_.get(); }
  std::uint64_t size() const;

  /// A descriptor for the process that is about to be started, to write with. `close_writer` once
  /// it has started.
  int open_writer();
  void close_writer() { writer_.reset(); }

  /// Empties the file and gives its descriptor away; none if another process may still write to it.
  Descriptor release_if_unused();

 private:
  Descriptor descriptor_, writer_;
  bool is_shared_ = false;  ///< A process was given the descriptor itself.
};

/// A file cannot be made at this moment, since this process or the host has too many open.
class TooManyOpenFiles : public std::runtime_error {
 public:
  explicit TooManyOpenFiles(int error);
  int error() const { return error_; }  ///< An errno.

 private:
  int error_;
};

/// Makes nameless files in TMPDIR or /tmp, and uses those again that have been destroyed: ext4
/// gives no inode away within five seconds of its deletion, so that a new file can cost more than
/// starting a short job. For one thread; its files may outlive it.
class NamelessFiles {
 public:
  /// Throws std::runtime_error if none can be made: `TooManyOpenFiles` if one may be made later.
  std::shared_ptr<NamelessFile> make();

  /// How many are kept open for use.
  std::size_t spare() const { return spare_->size(); }

 private:
  using Spare = std::vector<Descriptor>;
  std::shared_ptr<Spare> spare_ = std::make_shared<Spare>();
};

}  // namespace sluice::cli
