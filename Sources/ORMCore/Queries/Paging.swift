/// Which part of a result.
public enum Paging: Hashable, Codable, Sendable {
  /// All of it.
  case all
  /// At most `limit` rows (nil for all), after passing over `offset`.
  case limit(Int?, offset: Int)
  /// The page with this number, from 0, of so many rows.
  case page(Int, size: Int)
}
