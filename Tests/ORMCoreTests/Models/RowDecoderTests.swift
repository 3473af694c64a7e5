import Foundation
import ORMCore
import Testing

/// A model whose attributes are decoded in another order than its entity declares them, with every
/// kind of optional.
private struct Parcel: Persistable, Codable, Equatable {
  var sent: Date?
  var weight: Double
  var taste: Taste?
  var label: String?
  var tags: [String]
  var id: Int64
  var frame: Frame?
  var note: Plain?

  struct Frame: Persistable, Codable, Equatable {
    var colour: String
    var width: Int?
    static let entity = Entity<Frame>("Frame") {
      .attribute("colour", \.colour)
        .attribute("width", \.width)
    }
  }

  static let entity = Entity<Parcel>("Parcel") {
    .attribute("id", \.id)
      .attribute("label", \.label)
      .attribute("weight", \.weight)
      .attribute("taste", \.taste)
      .attribute("sent", \.sent)
      .attribute("tags", \.tags)
      .embedded("frame", \.frame)
      .json("note", \.note)
  }

  static let full = Parcel(
    sent: Date(timeIntervalSinceReferenceDate: 7), weight: 0.5, taste: .salty, label: "x",
    tags: ["a", "b"], id: 1, frame: Frame(colour: "red", width: 3), note: Plain(a: 1, b: [:]))
  static let fullRow: [StoredValue] = [
    .int(1), .string("x"), .double(0.5), .string("salty"),
    .date(Date(timeIntervalSinceReferenceDate: 7)), .array([.string("a"), .string("b")]),
    .bool(true), .string("red"), .int(3), .json(#"{"a":1,"b":{}}"#),
  ]
  static let bare = Parcel(weight: 2, tags: [], id: 2)
  static let bareRow: [StoredValue] = [
    .int(2), .null, .double(2), .null, .null, .array([]), .null, .null, .null, .null,
  ]
}

/// A model that decodes itself by a closure: one for each test, since tests run beside each other.
private protocol Scripted: Persistable, Codable {
  static var script: @Sendable (any Decoder) throws -> String { get }
  var text: String { get }
  init(text: String)
}

extension Scripted {
  var number: Int { 0 }
  var other: String? { nil }
  init(from decoder: any Decoder) throws { self.init(text: try Self.script(decoder)) }
  func encode(to encoder: any Encoder) throws {}
}

private enum Key: String, CodingKey { case id, text, other, missing }

extension Decoder {
  fileprivate var keys: KeyedDecodingContainer<Key> {
    get throws { try container(keyedBy: Key.self) }
  }
}

/// The decoders that a model under test was made by.
private final class Kept: @unchecked Sendable {
  // One test on one thread uses each.
  var decoder: (any Decoder)?
  var container: KeyedDecodingContainer<Key>?
}

@Suite("Models that are Codable are decoded from rows")
struct RowDecoderTests {
  @Test("columns are found by their names, in the first row and in later ones")
  func names() throws {
    for _ in 0..<3 {
      #expect(try Mapper<Parcel>.model(from: Parcel.fullRow) == .full)
      #expect(try Mapper<Parcel>.model(from: Parcel.bareRow) == .bare)
    }
  }

  @Test(
    "a fault in a later row is named as in the first",
    arguments: [
      (0, StoredValue.null, "id"), (1, .int(1), "label"), (2, .string("2"), "weight"),
      (3, .string("bitter"), "taste"), (4, .double(1), "sent"), (5, .null, "tags"),
      (6, .bool(false), "frame"), (7, .null, "frame.colour"), (8, .string(""), "frame.width"),
      (9, .json("[]"), "note"),
    ])
  func faults(column: Int, value: StoredValue, name: String) throws {
    #expect(try Mapper<Parcel>.model(from: Parcel.fullRow) == .full)
    var row = Parcel.fullRow
    row[column] = value
    let error = #expect(throws: StoreError.self) { try Mapper<Parcel>.model(from: row) }
    #expect(error?.code == .decoding)
    #expect(error?.entity == "Parcel")
    #expect(error?.attributes == [name])
  }

  private struct Branching: Scripted {
    var text: String
    static let entity = Entity<Branching>("Branching") {
      .attribute("id", \.number).attribute("text", \.text).attribute("other", \.other)
    }
    static let script: @Sendable (any Decoder) throws -> String = { decoder in
      let keys = try decoder.keys
      // What is asked for, in which order and as which type, depends on the row.
      guard try keys.decode(Int8.self, forKey: .id) > 0 else {
        let other = try keys.decode(String.self, forKey: .other)
        return try other + keys.decode(String.self, forKey: .text)
      }
      let number = try? keys.decode(Int.self, forKey: .text)
      let isThere = try keys.contains(.other) && !keys.decodeNil(forKey: .other)
      return try "\(number ?? -1) \(isThere) " + keys.decode(String.self, forKey: .text)
    }
  }

  @Test("a model may ask in another order, and as other types, in each row")
  func branches() throws {
    func text(_ id: Int64, _ other: StoredValue = .string("b")) throws -> String {
      try Branching(row: BufferedRow([.int(id), .string("a"), other])).text
    }
    for _ in 0..<2 {
      #expect(try text(1) == "-1 true a")
      #expect(try text(0) == "ba")
      #expect(try text(1, .null) == "-1 false a")
      #expect(fault { _ = try text(0, .null) } == "decoding other")
      #expect(fault { _ = try text(128) } == "decoding id")
    }
  }

  private struct Lacking: Scripted {
    var text: String
    static let entity = Entity<Lacking>("Lacking") { .attribute("text", \.text) }
    static let script: @Sendable (any Decoder) throws -> String = { decoder in
      let keys = try decoder.keys
      let absent = try keys.decodeIfPresent(Int.self, forKey: .missing) == nil
      let dated = try keys.decodeIfPresent(Date.self, forKey: .missing) == nil
      let text = try keys.decode(String.self, forKey: .text)
      if text == "nil" { return "\(try keys.decodeNil(forKey: .missing))" }
      if text == "asks" { return try keys.decode(String.self, forKey: .missing) }
      return "\(absent) \(dated) \(keys.contains(.missing)) \(text)"
    }
  }

  @Test("a key that is no attribute is absent, and an error where a value is asked for")
  func missingKeys() throws {
    for _ in 0..<2 {
      #expect(try Lacking(row: BufferedRow([.string("x")])).text == "true true false x")
      #expect(
        fault { _ = try Lacking(row: BufferedRow([.string("nil")])) } == "decoding missing")
      #expect(
        fault { _ = try Lacking(row: BufferedRow([.string("asks")])) } == "decoding missing")
    }
  }

  private struct Nested: Scripted {
    var text: String
    static let entity = Entity<Nested>("Nested") {
      .attribute("text", \.text).attribute("other", \.other)
    }
    static let script: @Sendable (any Decoder) throws -> String = { decoder in
      let keys = try decoder.keys
      let inner = try keys.nestedContainer(keyedBy: Key.self, forKey: .missing)
      let parent = try keys.superDecoder().keys
      return try inner.decode(String.self, forKey: .text)
        + parent.decode(String.self, forKey: .other)
    }
  }

  @Test("nested containers and the decoder of a superclass read the same row")
  func nested() throws {
    for _ in 0..<2 {
      #expect(try Nested(row: BufferedRow([.string("a"), .string("b")])).text == "ab")
    }
  }

  private struct Unkeyed: Scripted {
    var text: String
    static let entity = Entity<Unkeyed>("Unkeyed") { .attribute("text", \.text) }
    static let script: @Sendable (any Decoder) throws -> String = { decoder in
      try decoder.singleValueContainer().decode(String.self)
    }
  }

  @Test("a model that does not decode itself by keys is refused")
  func unkeyed() {
    #expect(fault { _ = try Unkeyed(row: BufferedRow([.string("a")])) } == "decoding ")
  }

  private struct Reentrant: Scripted {
    var text: String
    static let entity = Entity<Reentrant>("Reentrant") {
      .attribute("id", \.number).attribute("text", \.text)
    }
    static let script: @Sendable (any Decoder) throws -> String = { decoder in
      let keys = try decoder.keys
      let id = try keys.decode(Int64.self, forKey: .id)
      // A row inside a row, of the same model and of another.
      let inner =
        id > 0
        ? try Reentrant(row: BufferedRow([.int(id - 1), .string("inner \(id)")])).text : "end"
      #expect(try Mapper<Parcel>.model(from: Parcel.fullRow) == .full)
      _ = try? Reentrant(row: BufferedRow([.string("no number")]))
      return try keys.decode(String.self, forKey: .text) + ", " + inner
    }
  }

  @Test("a model may decode other rows while it is decoded")
  func reentrancy() throws {
    for _ in 0..<2 {
      #expect(
        try Reentrant(row: BufferedRow([.int(2), .string("outer")])).text
          == "outer, inner 2, inner 1, end")
    }
  }

  private struct Escaping: Scripted {
    var text: String
    static let kept = Kept()
    static let entity = Entity<Escaping>("Escaping") {
      .attribute("text", \.text).attribute("other", \.other)
    }
    static let script: @Sendable (any Decoder) throws -> String = { decoder in
      let keys = try decoder.keys
      if kept.container == nil { (kept.decoder, kept.container) = (decoder, keys) }
      let text = try keys.decode(String.self, forKey: .text)
      if text == "fails" { throw CancellationError() }
      return text
    }
  }

  @Test("a container that outlives its model reads neither its row nor a later one")
  func escapedContainers() throws {
    for first in ["one", "fails"] {
      (Escaping.kept.decoder, Escaping.kept.container) = (nil, nil)
      do {
        let model = try Escaping(row: BufferedRow([.string(first), .null]))
        #expect(model.text == "one")
      } catch {
        #expect(first == "fails" && error is CancellationError)
      }
      let container = try #require(Escaping.kept.container)
      let decoder = try #require(Escaping.kept.decoder)
      for later in ["two", "three"] {
        #expect(try Escaping(row: BufferedRow([.string(later), .null])).text == later)
        #expect(
          fault { _ = try container.decode(String.self, forKey: .text) } == "decoding text")
        #expect(
          fault { _ = try container.decodeIfPresent(String.self, forKey: .other) }
            == "decoding other")
        #expect(
          fault { _ = try decoder.keys.decode(Int.self, forKey: .text) } == "decoding text")
        #expect(fault { _ = try container.decodeNil(forKey: .text) } == "decoding ")
      }
    }
  }

  private struct Shared: Persistable, Codable, Equatable {
    var d: UUID
    var a: Int
    var c: String?
    var b: Level
    static let entity = Entity<Shared>("Shared") {
      .attribute("a", \.a).attribute("b", \.b).attribute("c", \.c).attribute("d", \.d)
    }
  }

  @Test("threads that decode a model for the first time read the same")
  func threads() async {
    let id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    let wrong = await withTaskGroup(of: Int.self) { group in
      for task in 0..<8 {
        group.addTask {
          (0..<200).count { number in
            let text: StoredValue = number.isMultiple(of: 3) ? .null : .string("\(task)")
            let model = try? Mapper<Shared>.model(from: [.int(7), .int(2), text, .uuid(id)])
            let expected = Shared(
              d: id, a: 7, c: number.isMultiple(of: 3) ? nil : "\(task)", b: .high)
            return model != expected
          }
        }
      }
      return await group.reduce(0, +)
    }
    #expect(wrong == 0)
  }
}
