#include "capi/errors.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

namespace sluice::capi {
namespace {

template <typename Exception>
sluice_error error_of(const Exception& exception) {
  sluice_error error = SLUICE_ERROR_INIT;
  const sluice_code code = guarded(&error, [&]() -> sluice_code { throw exception; });
  EXPECT_EQ(code, error.code);
  return error;
}

TEST(CErrors, AreCodesOfTheExceptions) {
  EXPECT_EQ(error_of(std::invalid_argument("key: wrong")).code, SLUICE_INVALID);
  EXPECT_STREQ(error_of(std::invalid_argument("key: wrong")).text, "key: wrong");
  const std::system_error none(std::make_error_code(std::errc::no_space_on_device));
  EXPECT_EQ(error_of(none).code, SLUICE_SYSTEM);
  EXPECT_EQ(error_of(std::bad_alloc()).code, SLUICE_SYSTEM);
  EXPECT_STREQ(error_of(std::bad_alloc()).text, "out of memory");
  EXPECT_EQ(error_of(std::logic_error("defect")).code, SLUICE_INTERNAL);
  EXPECT_EQ(error_of(7).code, SLUICE_INTERNAL);
  EXPECT_STRNE(error_of(7).text, "");
}

TEST(CErrors, LeaveTheErrorOfASuccessAlone) {
  sluice_error error{sizeof(sluice_error), SLUICE_REFUSED, "window", "earlier"};
  EXPECT_EQ(guarded(&error, [] { return SLUICE_OK; }), SLUICE_OK);
  EXPECT_STREQ(error.text, "earlier");
}

TEST(CErrors, MayHaveNoPlace) {
  EXPECT_EQ(fail(nullptr, SLUICE_INVALID, "lost"), SLUICE_INVALID);
  EXPECT_EQ(refuse(nullptr, Refusal{}), SLUICE_REFUSED);
}

TEST(CErrors, OfARefusalSayItsReasonAndSentence) {
  sluice_error error = SLUICE_ERROR_INIT;
  Refusal refusal;
  refusal.code = RefusalCode::max_pending;
  EXPECT_EQ(refuse(&error, refusal), SLUICE_REFUSED);
  EXPECT_EQ(error.code, SLUICE_REFUSED);
  EXPECT_STREQ(error.reason, "max_pending");
  EXPECT_EQ(error.text, to_sentence(refusal));
}

TEST(CErrors, AreCutBetweenCharacters) {
  sluice_error error = SLUICE_ERROR_INIT;
  std::string text(sizeof error.text - 2, 'x');
  fail(&error, SLUICE_INVALID, text + "\xc3\xa9");
  EXPECT_EQ(error.text, text);
  fail(&error, SLUICE_INVALID, text + "yz");
  EXPECT_EQ(error.text, text + "y");
}

/// A program that was compiled when the struct ended earlier.
TEST(CErrors, StayWithinTheStructThatTheProgramKnows) {
  sluice_error error;
  const auto write = [&error](std::size_t size) {
    std::memset(&error, 'x', sizeof error);
    error.size = size;
    fail(&error, SLUICE_INVALID, "text", "reason");
  };
  const auto is_touched = [&error](std::size_t from) {
    const auto* bytes = reinterpret_cast<const char*>(&error);
    for (std::size_t at = from; at < sizeof error; ++at) {
      if (bytes[at] != 'x') return true;
    }
    return false;
  };
  write(offsetof(sluice_error, text));
  EXPECT_STREQ(error.reason, "reason");
  EXPECT_FALSE(is_touched(offsetof(sluice_error, text)));
  write(offsetof(sluice_error, text) + 3);
  EXPECT_STREQ(error.text, "te");
  EXPECT_FALSE(is_touched(offsetof(sluice_error, text) + 3));
  write(0);
  EXPECT_FALSE(is_touched(sizeof error.size));
}

}  // namespace
}  // namespace sluice::capi
