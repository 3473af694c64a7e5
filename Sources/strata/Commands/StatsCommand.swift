#if Command
  import ArgumentParser
  import Foundation
  import ORM

  /// `strata stats URL`: the rows of each entity and the size of the file.
  struct StatsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "stats",
      abstract:
        "Prints the number of rows of each entity, and the file's size.",
      discussion: "As JSON, one object: entities (entity, rows, indexes) and fileBytes.")

    @Argument(help: "The store.", transform: StoreArgument.init) var store: StoreArgument
    @Option(help: "text or json.") var format = ReportFormat.text
    @OptionGroup var log: LogOption

    mutating func run() throws {
      let opened = try store.open(readOnly: true, log: log)
      defer { try? opened.close() }
      let entities = try opened.read { transaction in
        try opened.schema.everyEntity.filter { !$0.isBookkeeping }.map { entity in
          StoreSize.EntitySize(
            entity: entity.modelName,
            rows: try transaction.count(DynamicQuery(entity.modelName, deleted: .included)),
            indexes: entity.indexes.count)
        }
      }
      let file = store.location.file.map(FileSize.bytes)
      try format.print(StoreSize(entities: entities, fileBytes: file))
    }
  }

  /// The rows of a store's entities and the size of its file.
  private struct StoreSize: Encodable, CustomStringConvertible {
    struct EntitySize: Encodable {
      var entity: String
      var rows: Int
      var indexes: Int
    }

    var entities: [EntitySize]
    /// The size of the files; nil for a store in memory or on a server.
    var fileBytes: Int?

    var description: String {
      let lines = entities.map {
        let rows = Self.counted($0.rows, "row", "rows")
        return "\($0.entity): \(rows), \(Self.counted($0.indexes, "index", "indexes"))"
      }
      return (lines + (fileBytes.map { ["file: \($0) bytes"] } ?? [])).joined(separator: "\n")
    }

    private static func counted(_ count: Int, _ one: String, _ many: String) -> String {
      "\(count) \(count == 1 ? one : many)"
    }
  }

  /// The size of a store's files.
  enum FileSize {
    /// The bytes of the file and of its write-ahead log, if there is one.
    static func bytes(at path: String) -> Int {
      [path, path + "-wal"].reduce(0) { sum, file in
        let size = try? FileManager.default.attributesOfItem(atPath: file)[.size] as? NSNumber
        return sum + (size?.intValue ?? 0)
      }
    }
  }
#endif
