#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace sluice::cli {

/// A file without a name, which disappears with its last descriptor.
class NamelessFile {
 public:
  /// Owns the descriptor.
  explicit NamelessFile(int descriptor) : descriptor_(descriptor) {}
  ~NamelessFile();
  NamelessFile(const NamelessFile&) = delete;
  NamelessFile& operator=(const NamelessFile&) = delete;

  int descriptor() const { return descriptor_; }
  std::uint64_t size() const;

  /// A descriptor for the process that is about to be started, to write with. `close_writer` once
  /// it has started.
  int open_writer();
  void close_writer();

  /// Empties the file and gives its descriptor away; -1 if another process may still write to it.
  int release_if_unused();

 private:
  int descriptor_;
  int writer_ = -1;
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
  struct Spare {
    ~Spare();
    std::vector<int> descriptors;
  };
  std::shared_ptr<Spare> spare_ = std::make_shared<Spare>();
};

}  // namespace sluice::cli
