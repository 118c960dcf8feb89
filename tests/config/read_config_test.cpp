#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "config/effective.h"
#include "config_tests/parse.h"

namespace sluice {
namespace {

namespace fs = std::filesystem;

class ReadConfig : public ::testing::Test {
 protected:
  ReadConfig() {
    std::string pattern = (fs::temp_directory_path() / "sluice-config-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~ReadConfig() override { fs::remove_all(folder_); }

  std::string write(const std::string& text) const {
    const std::string path = (folder_ / "sluice.yaml").string();
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  fs::path folder_;
};

std::vector<std::string> errors_in(const std::string& path) {
  std::vector<std::string> errors;
  const ConfigResult result = read_config(path, 2);
  if (const auto* found = std::get_if<std::vector<ConfigError>>(&result)) {
    for (const ConfigError& error : *found) errors.push_back(to_string(error));
  }
  return errors;
}

TEST_F(ReadConfig, ReadsAFileAndNamesItInOrigins) {
  const std::string path = write("window: {step: 7}\n");
  const ConfigResult result = read_config(path, 3);
  ASSERT_TRUE(std::holds_alternative<Config>(result));
  const Config& config = std::get<Config>(result);
  EXPECT_EQ(config.governing.window.step, PointsSpec{7});
  EXPECT_EQ(config.cpus, 3);
  EXPECT_EQ(effective_values(config)[5].origin, path + ":1:16");
}

TEST_F(ReadConfig, NamesTheFileInErrors) {
  const std::string path = write("\nwindw: {}\n");
  EXPECT_EQ(errors_in(path),
            std::vector{path + ":2:1: unknown key `windw`; did you mean `window`?"});
}

TEST_F(ReadConfig, SaysWhyAFileCannotBeRead) {
  const std::string missing = (folder_ / "missing.yaml").string();
  EXPECT_EQ(errors_in(missing),
            std::vector{missing + ": cannot be read: No such file or directory"});
  EXPECT_EQ(errors_in(folder_.string()),
            std::vector{folder_.string() + ": cannot be read: Is a directory"});
}

TEST_F(ReadConfig, IsNotHeldUpByAPipe) {
  const std::string pipe = (folder_ / "pipe.yaml").string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(errors_in(pipe), std::vector{pipe + ": cannot be read: it is a pipe"});
}

TEST_F(ReadConfig, StopsAfterAMebibyte) {
  EXPECT_EQ(errors_in(write(std::string(kMostConfigBytes, '#'))), std::vector<std::string>{});
  const std::string path = write(std::string(kMostConfigBytes + 1, '#'));
  EXPECT_EQ(errors_in(path), std::vector{path + ": the file is larger than 1048576 bytes"});
  EXPECT_EQ(errors_in("/dev/zero"),
            std::vector<std::string>{"/dev/zero: the file is larger than 1048576 bytes"});
}

}  // namespace
}  // namespace sluice
