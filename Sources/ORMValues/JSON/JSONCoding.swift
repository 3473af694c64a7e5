/// Codable values to JSON texts and back, without loss (clause 1.7).
///
/// The text has no space, and the members of every object are in the order of their names' bytes, so that
/// equal values have equal texts; sets, and dictionaries whose keys are neither texts nor integers, are
/// arrays in the order of their elements' texts. How things are written:
///
/// - Integers of every width plain and exact. Doubles and floats as the shortest digits that read
///   back to the bit, always with a point or exponent; infinities as `9e999` and `-9e999`. A NaN
///   is refused with `invalidValue`.
/// - `Decimal` as a number in full (`DecimalText`), exact when read as `Decimal` again.
/// - `Date` as `{"$date":seconds}`, seconds since the reference date as a double; `Data` as
///   `{"$data":"base64"}`. `JSONText.value(at:in:)` finds dates and data in these.
/// - `UUID` and `URL` as strings (a URL's absolute text), `[UInt8]` as an array of numbers.
/// - A nil that its type encodes is null; one that it leaves out is absent.
///
/// JSON from elsewhere is read by the same rules: of members with one name the last counts, and an
/// integer may also be written with a fraction or exponent (`1.0`, `1e2`) that leaves it whole.
package enum JSONCoding {
  /// The text of a value.
  ///
  /// Throws `invalidValue` for a NaN, for a value that its own `encode(to:)` refuses, and for values more
  /// than 512 deep. A `StoreError` or another error thrown on the way comes out as it is.
  package static func encode<T: Encodable>(_ value: T) throws -> String {
    do {
      let fragment = try JSONEncoding.fragment(of: value, at: JSONPath([]))
      var writer = JSONWriter()
      try fragment.write(to: &writer)
      return writer.text
    } catch EncodingError.invalidValue(_, let context) {
      throw StoreError(
        .invalidValue,
        "a value cannot be written as JSON at \(JSONPath(context.codingPath)): "
          + context.debugDescription)
    }
  }

  /// The value that a text says.
  ///
  /// Throws `decoding` when the text is not JSON or not of the type, naming the path to the fault.
  package static func decode<T: Decodable>(_ type: T.Type, from text: String) throws -> T {
    var builder = JSONValue.Builder()
    try JSONText.parse(text, &builder)
    do {
      return try JSONDecoding.value(of: type, in: builder.root, at: JSONPath([]))
    } catch let error as DecodingError {
      throw StoreError(.decoding, error.jsonSentence)
    }
  }
}

extension DecodingError {
  /// A sentence that describes the fault and its location, without the stored value.
  fileprivate var jsonSentence: String {
    switch self {
    case .typeMismatch(let type, let context):
      "no \(type) in JSON at \(JSONPath(context.codingPath))"
    case .valueNotFound(let type, let context):
      "null where \(type) should be in JSON at \(JSONPath(context.codingPath))"
    case .keyNotFound(let key, let context):
      "no member \(key.stringValue) in JSON at \(JSONPath(context.codingPath))"
    case .dataCorrupted(let context):
      "\(context.debugDescription) in JSON at \(JSONPath(context.codingPath))"
    @unknown default: "JSON that cannot be decoded"
    }
  }
}
