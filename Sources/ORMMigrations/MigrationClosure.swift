internal import FoundationEssentials
internal import ORMStorage

/// A closure of a program with the name and the revision that stand for it in a store.
struct MigrationClosure<Body: Sendable>: Codable, Sendable {
  let name: String
  let revision: Int
  private let body: Body?

  init(name: String, revision: Int, body: Body) {
    self.name = name
    self.revision = revision
    self.body = body
  }

  /// The closure.
  ///
  /// - Throws: `invalidPlan` for one that was read from a text.
  func run() throws -> Body {
    guard let body else {
      throw StoreError(
        .invalidPlan,
        "the closure \"\(name)\" is in a program and not in the plan that was read; run the plan by "
          + "the program")
    }
    return body
  }

  private enum CodingKeys: String, CodingKey { case name, revision }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    name = try values.decode(String.self, forKey: .name)
    revision = try values.decode(Int.self, forKey: .revision)
    body = nil
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(name, forKey: .name)
    try values.encode(revision, forKey: .revision)
  }
}

extension MigrationVersion {
  /// The digest of the steps: SHA-256 of their canonical JSON, closures by name and revision.
  func digest() throws -> String {
    do { return try SHA256.digits(ofJSON: steps.map(\.action)) } catch {
      throw StoreError(.invalidPlan, "version \(number) cannot be written as JSON: \(error)")
    }
  }
}

extension SHA256 {
  /// The digest of a value's canonical JSON, 64 hexadecimal digits.
  static func digits(ofJSON value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    let bytes = try encoder.encode(value).withUnsafeBytes { SHA256(of: $0).bytes }
    let digits = Array("0123456789abcdef")
    return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }
}
