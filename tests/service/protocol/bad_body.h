#pragma once

#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "service/protocol/api_error.h"

namespace sluice::bad_body {

struct Bad {
  const char* body;
  const char* code;
  const char* field;
};

/// Expects the outcome of parsing the body to be its error.
template <typename Parsed>
void expect_refused(const Parsed& parsed, const Bad& bad) {
  ASSERT_TRUE(std::holds_alternative<ApiError>(parsed)) << bad.body;
  const auto& error = std::get<ApiError>(parsed);
  EXPECT_EQ(error.status, 400);
  EXPECT_EQ(error.code, bad.code) << bad.body;
  EXPECT_EQ(error.field, bad.field) << bad.body;
}

}  // namespace sluice::bad_body
