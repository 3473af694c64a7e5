/// A part of a result.
///
/// ```swift
/// var second = Snack.all
/// second.paging = .page(1, size: 50)
/// ```
public enum Paging: Hashable, Codable, Sendable {
  /// All of it.
  case all
  /// At most `limit` rows (nil for all), after passing over `offset`.
  case limit(Int?, offset: Int)
  /// The page with this number, from 0, of `size` rows.
  case page(Int, size: Int)
}

extension Paging {
  /// True if requests have a limit or an offset by it.
  package var isLimited: Bool {
    switch self {
    case .all: false
    case .limit(let limit, let offset): limit != nil || offset != 0
    case .page: true
    }
  }

  /// The most rows, and the number of rows that are skipped.
  package var bounds: (limit: Int?, offset: Int) {
    switch self {
    case .all: return (nil, 0)
    case .limit(let limit, let offset): return (limit, offset)
    case .page(let number, let size):
      let (offset, isTooFar) = number.multipliedReportingOverflow(by: size)
      return (size, isTooFar ? .max : offset)
    }
  }

  /// Returns a copy with at most `limit` rows.
  package func limited(to limit: Int) -> Paging {
    if case .limit(_, let offset) = self { return .limit(limit, offset: offset) }
    return .limit(limit, offset: 0)
  }

  /// Returns a copy that skips the first `offset` rows.
  package func without(first offset: Int) -> Paging {
    if case .limit(let limit, _) = self { return .limit(limit, offset: offset) }
    return .limit(nil, offset: offset)
  }
}

extension Paging {
  /// Reads a part in the form that `encode(to:)` gives it.
  ///
  /// - Throws: `DecodingError` for a value that is no part.
  public init(from decoder: any Decoder) throws {
    let coded = try CodedCase(from: decoder)
    switch coded.name {
    case "all": self = .all
    case "limit": self = .limit(try coded.optional("_0"), offset: try coded.value("offset"))
    case "page": self = .page(try coded.value(), size: try coded.value("size"))
    default: throw coded.isUnknown
    }
  }

  /// Encodes the part as an object whose one member has the name of the case.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .all: CodedCase.encode("all", to: encoder)
    case .limit(let limit, let offset):
      try CodedCase.encode("limit", parts: ["_0": limit, "offset": offset], to: encoder)
    case .page(let number, let size):
      try CodedCase.encode("page", parts: ["_0": number, "size": size], to: encoder)
    }
  }
}
