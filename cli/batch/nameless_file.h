#pragma once

#include <cstdint>
#include <memory>
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

/// Makes nameless files in TMPDIR or /tmp, and uses those again that have been destroyed: ext4
/// gives no inode away within five seconds of its deletion, so that a new file can cost more than
/// starting a short job. For one thread; its files may outlive it.
class NamelessFiles {
 public:
  /// Throws std::runtime_error if none can be made.
  std::shared_ptr<NamelessFile> make();

 private:
  using Spare = std::vector<Descriptor>;
  std::shared_ptr<Spare> spare_ = std::make_shared<Spare>();
};

}  // namespace sluice::cli
