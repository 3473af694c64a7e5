import Foundation

@testable import ORMCore
@testable import ORMStorage

// A target for libFuzzer, linked by `build` beside it.
// Whatever bytes come in, a format is refused with an error or read; what was read prints to a
// format that reads to the same tree, and means the same after it was normalized.

private func column(_ name: String, _ type: AttributeType) -> StoredColumn {
  StoredColumn(name, type, isOptional: true)
}

private let schema: StoredSchema = {
  var item = StoredEntity(
    name: "Item",
    columns: [
      StoredColumn("id", .int64), column("name", .string), column("price", .double),
      column("rate", .float), column("amount", .decimal), column("big", .uint64),
      column("isHot", .bool), column("day", .date), column("code", .uuid), column("bytes", .data),
      column("tags", .array(.string)), column("numbers", .array(.int64)), column("info", .json),
      column("in", .int64), column("parent_id", .int64),
    ], key: [0])
  item.relationships = [
    RelationshipDescription(
      "parent", target: "Item", isToMany: false, inverse: "children",
      storage: .own(["parent_id"], position: nil)),
    RelationshipDescription(
      "children", target: "Item", isToMany: true, inverse: "parent",
      storage: .target(["parent_id"], position: nil)),
  ]
  return StoredSchema(entities: [item])
}()

private let rows: [BufferedRow] = [
  BufferedRow([
    .int(1), .string("Straße"), .double(2.5), .double(0.5), .decimal(Decimal(3)), .uint(.max),
    .bool(true), .date(Date(timeIntervalSinceReferenceDate: 5)), .uuid(UUID.unassigned),
    .data(Data([1])), .array([.string("a"), .string("b")]), .array([.int(3), .int(-1)]),
    .json(#"{"a":[1,"x",null],"b":2.5}"#), .int(4), .int(1),
  ]),
  BufferedRow([.int(2)] + Array(repeating: .null, count: 14)),
  BufferedRow([
    .int(.min), .string(""), .double(-0.0), .double(1), .decimal(0), .int(0), .bool(false),
    .date(Date(timeIntervalSinceReferenceDate: 0)), .uuid(UUID.unassigned), .data(Data()),
    .array([]), .array([]), .json("[]"), .null, .null,
  ]),
]

private var arguments: [(any FormatArgument)?] {
  [
    3, "name", 2.5, nil, [1, 2], "tags.@count", true, Date(timeIntervalSinceReferenceDate: 1), "a*",
  ]
}

private func read(_ text: String, _ arguments: [(any FormatArgument)?] = []) throws -> Condition {
  guard let entity = schema["Item"] else { throw StoreError(.unknownEntity, "Item") }
  // What is left over is not looked at here.
  for count in 0...arguments.count {
    var parser = try FormatParser(
      text, for: .stored(entity, schema), arguments: Array(arguments.prefix(count)))
    do {
      return try parser.condition()
    } catch let error as StoreError
      where count < arguments.count && error.message.contains("this is argument")
    {
      continue
    }
  }
  throw StoreError(.invalidCondition, "no number of arguments fits")
}

private func holds(_ condition: Condition) throws -> [Bool] {
  guard let entity = schema["Item"] else { return [] }
  var check = ConditionCheck(entity: entity, schema: schema, limits: ConditionLimits())
  // The timestamp of the request is another each time.
  check.timestamp = .date(Date(timeIntervalSinceReferenceDate: 7))
  let compiled = try CompiledCondition(check.checked(condition), entity: entity, schema: schema)
  let bound = try compiled.bound(to: [])
  return try rows.map { try bound.matches($0) }
}

/// Reads a text as an order, which prints as one that reads back to it, and as a condition of an
/// entity that is not known.
private func readOtherwise(_ text: String) {
  guard let entity = schema["Item"] else { return }
  func order(_ text: String) throws -> [SortTerm] {
    var parser = try FormatParser(text, for: .stored(entity, schema))
    return try parser.order()
  }
  if let terms = try? order(text) {
    let printed = terms.map(\.description).joined(separator: ", ")
    if (try? order(printed)) != terms { fatalError("\(text)\nis the order\n\(printed)") }
  }
  if var parser = try? FormatParser(text, for: .unknown("Item")) { _ = try? parser.condition() }
  if var parser = try? FormatParser(text, for: .stored(entity, schema)) {
    _ = try? parser.groupKey()
  }
}

/// Called by libFuzzer with every input.
@_cdecl("LLVMFuzzerTestOneInput")
public func test(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  readOtherwise(text)
  guard let condition = try? read(text, arguments) else { return 0 }
  let printed = condition.description
  do {
    let again = try read(printed)
    if again != condition {
      fatalError("\(text)\nprints\n\(printed)\nand is read as\n\(again)")
    }
  } catch {
    fatalError("\(text)\nprints\n\(printed)\nwhich is not read: \(error)")
  }
  let normal = condition.canonical()
  if normal.canonical() != normal {
    fatalError("\(printed)\nis normalized twice:\n\(normal)\n\(normal.canonical())")
  }
  guard let expected = try? holds(condition) else { return 0 }
  do {
    let found = try holds(normal)
    if found != expected { fatalError("\(printed)\nis not\n\(normal): \(expected) \(found)") }
  } catch {
    fatalError("\(printed)\ncannot be asked as\n\(normal): \(error)")
  }
  return 0
}
