import ArgumentParser
import Foundation
import ORM

/// `strata schema URL`: the entities of a store.
struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Prints the entities, attributes and indexes of a store.")

  enum Format: String, ExpressibleByArgument, CaseIterable { case text, json, mermaid, dot }

  @Argument(help: "The store.", transform: StoreArgument.init) var store: StoreArgument
  @Option(help: "text, json, mermaid or dot.") var format = Format.text

  mutating func run() throws {
    let opened = try store.open(readOnly: true)
    defer { try? opened.shut() }
    switch format {
    case .text: print(opened.schema)
    case .json: print(try JSONCoding.encode(opened.schema))
    case .mermaid: print(opened.schema.mermaid)
    case .dot: print(opened.schema.dot)
    }
  }
}

/// `strata stats URL`: how much a store holds.
struct StatsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats", abstract: "Prints how many rows each entity has, and the file's size.")

  @Argument(help: "The store.", transform: StoreArgument.init) var store: StoreArgument

  mutating func run() throws {
    let opened = try store.open(readOnly: true)
    defer { try? opened.shut() }
    try opened.read { transaction in
      for entity in opened.schema.everyEntity {
        let count = try transaction.count(
          DynamicQuery(entity.modelName, deleted: .included))
        let indexes = Self.counted(entity.indexes.count, "index", "indexes")
        print("\(entity.modelName): \(Self.counted(count, "row", "rows")), \(indexes)")
      }
    }
    if let path = store.location.path {
      print("file: \(FileSize.bytes(at: path)) bytes")
    }
  }

  private static func counted(_ count: Int, _ one: String, _ many: String) -> String {
    "\(count) \(count == 1 ? one : many)"
  }
}

/// The size of a store's files.
enum FileSize {
  /// The bytes of the file and, beside it, of what was not yet folded into it.
  static func bytes(at path: String) -> Int {
    [path, path + "-wal"].reduce(0) { sum, file in
      let size = try? FileManager.default.attributesOfItem(atPath: file)[.size] as? NSNumber
      return sum + (size?.intValue ?? 0)
    }
  }
}
