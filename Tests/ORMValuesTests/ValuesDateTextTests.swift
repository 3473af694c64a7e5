import Foundation
import TestSupport
import Testing
import ORMValues

/// Dates in ISO 8601; the seconds were worked out with Python's datetime.
struct DateTextTests {
  static let dates: [(String, Double)] = [
    ("2001-01-01", 0),
    ("2024-05-01", 736_214_400),
    ("2024-02-29T10:30:00Z", 730_895_400),
    ("2024-05-01T10:30:00+02:00", 736_245_000),
    ("2024-05-01T10:30:00-0530", 736_272_000),
    ("2024-05-01T10:30:00.25Z", 736_252_200.25),
    ("2000-12-31T23:59:59.75Z", -0.25),
    ("1970-01-01T00:00:00Z", -978_307_200),
    ("1900-03-01", -3_182_198_400),
    ("0001-01-01", -63_113_904_000),
    ("9999-12-31T23:59:59Z", 252_423_993_599),
  ]

  @Test("Texts become dates", arguments: dates)
  func reads(pair: (String, Double)) {
    #expect(DateText.date(pair.0)?.timeIntervalSinceReferenceDate == pair.1)
  }

  @Test(
    "What is no date is none",
    arguments: [
      "", "2024", "2024-5-1", "2024-02-30", "2023-02-29", "1900-02-29", "2024-13-01", "2024-00-01",
      "2024-01-00", "0000-01-01", "2024-05-01 10:30:00", "2024-05-01T10:30:00",
      "2024-05-01T24:00:00Z", "2024-05-01T10:60:00Z", "2024-05-01T10:30:60Z",
      "2024-05-01T10:30:00Zx", "2024-05-01T10:30:00.Z", "2024-05-01T10:30:00+2:00", "２024-05-01",
    ])
  func refuses(text: String) {
    #expect(DateText.date(text) == nil)
  }

  @Test(
    "Dates are written in UTC with the digits that they need",
    arguments: [
      (0, "2001-01-01T00:00:00Z"), (-0.25, "2000-12-31T23:59:59.75Z"),
      (730_895_400, "2024-02-29T10:30:00Z"), (736_252_200.123456, "2024-05-01T10:30:00.123456Z"),
      (-63_113_904_000, "0001-01-01T00:00:00Z"), (252_423_993_599, "9999-12-31T23:59:59Z"),
      (252_423_993_600, "252423993600.0"), (1e300, "1e+300"),
    ])
  func writes(pair: (Double, String)) {
    #expect(DateText.text(of: Date(timeIntervalSinceReferenceDate: pair.0)) == pair.1)
  }

  @Test("Every date of the years 1 to 9999 comes back to the bit")
  func roundTrip() {
    let seed = runSeed()
    var state = seed
    for _ in 0..<20_000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let share = Double(state >> 11) / 0x1p53
      let wide = -63_113_904_000 + share * (252_423_993_600 + 63_113_904_000)
      for interval in [wide, wide / 1000, wide.rounded()] {
        let date = Date(timeIntervalSinceReferenceDate: interval)
        let text = DateText.text(of: date)
        #expect(
          DateText.date(text)?.timeIntervalSinceReferenceDate.bitPattern == interval.bitPattern,
          "\(text)")
      }
    }
  }
}
