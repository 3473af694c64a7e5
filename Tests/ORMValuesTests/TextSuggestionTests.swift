import ORMValues
import Testing

@Suite("Suggestions: the nearest name by spelling, words, wrong letters and beginnings")
struct TextSuggestionTests {
  /// The unknown name, the names that there are, and the one that is suggested.
  private static let table: [(String, [String], String?)] = [
    ("altitude", ["id", "latitude", "altitude_ft"], "altitude_ft"),
    ("altitude", ["latitude", "altitudeFt"], "altitudeFt"),
    ("altitude", ["latitude", "longitude"], "latitude"),
    ("price_usd", ["prices", "price"], "price"),
    ("stock_count", ["stock", "stockCount"], "stockCount"),
    ("NAME", ["names", "name"], "name"),
    ("street", ["stress", "home.street"], "home.street"),
    ("stop", ["step", "stops"], "stops"),
    ("hight", ["weight", "height"], "height"),
    ("tgas", ["bags", "tags"], "tags"),
    ("lat", ["flat_rate", "latitude"], "latitude"),
    ("titude", ["name", "latitude"], "latitude"),
    // One wrong letter counts more than a common beginning alone.
    ("nam", ["namespace", "name"], "name"),
    // Neither two letters inside of a word nor a short word in a longer name are near.
    ("it", ["title"], nil),
    ("airline_id", ["id", "country"], nil),
    ("nonsense", ["id", "name", "price"], nil),
    ("", ["id", "name"], nil),
  ]

  @Test(arguments: table.indices)
  func nearest(index: Int) {
    let (name, names, expected) = Self.table[index]
    #expect(FormatSuggestion.nearest(to: name, among: names) == expected)
  }

  @Test("One spelling of a name is known in another, and another name is not")
  func spellings() {
    for other in ["stockCount", " Stock-Count", "\u{FEFF}stock_count", "STOCKCOUNT"] {
      #expect(FormatSuggestion.isSpelling(other, of: "stock_count"), "\(other)")
    }
    #expect(!FormatSuggestion.isSpelling("stock_counts", of: "stock_count"))
  }
}
