import Foundation
import LMDBBackend
import MemoryBackend
import ORMExchange
import SQLiteBackend
import TestSupport
import Testing

/// Disks that are full and sources that break off: typed errors, and nothing half.
@Suite struct ImportFaultTests {
  let folder = TestFolder(inMemory: true)

  private struct Broken: Error, Equatable {
    let number: Int
  }

  private func lines(_ range: ClosedRange<Int>) -> String {
    range.map { #"{"id":\#($0),"stars":1}"# }.joined(separator: "\n")
  }

  // MARK: - Exports

  @Test(
    "12.12 An export to a full disk is full, names the file and leaves the old one",
    .enabled(if: TinyDisk.isPossible, "a volume of its own can only be made by root"))
  func fullExports() throws {
    let store = try ImportStore.memory.open(folder)
    try store.save((1...20_000).map { Rated(id: $0, stars: 1) })
    let disk = try TinyDisk(size: "128k")
    let path = disk.folder.file("rows")
    let targets: [ExportTo] = [.json(path), .jsonLines(path), .csv(path)]
    for target in targets {
      try Data("old".utf8).write(to: URL(fileURLWithPath: path))
      for isByNames in [false, true] {
        let error = storeError {
          if isByNames {
            try store.export(DynamicQuery("Rated"), to: target)
          } else {
            try store.export(Rated.all, to: target)
          }
        }
        #expect(error?.code == .full)
        #expect(error?.message.contains(path) == true)
        #expect(try disk.folder.names() == ["rows"])
        #expect(try bytes(path) == Data("old".utf8))
      }
      // With room, the same call goes on.
      let report = try store.export(Rated.where { $0.id <= 10 }, to: target)
      #expect(report.records == 10)
      #expect(try disk.folder.names() == ["rows"])
      #expect(try bytes(path).count == report.bytes)
    }
  }

  @Test("12.12 An export to what is no regular file is cannotOpen, and leaves it")
  func noFiles() throws {
    let store = try ImportStore.memory.open(folder)
    try store.save(Rated(id: 1, stars: 1))
    let (pipe, link) = (folder.file("pipe"), folder.file("link"))
    #expect(mkfifo(pipe, 0o600) == 0)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: pipe)
    for path in [folder.path, pipe, link, folder.file("no folder/rows")] {
      for target: ExportTo in [.json(path), .jsonLines(path), .csv(path)] {
        let error = storeError { try store.export(Rated.all, to: target) }
        #expect(error?.code == .cannotOpen)
        #expect(error?.message.contains(path) == true)
      }
      let error = storeError {
        try store.import(Rated.self, from: .jsonLines(.text("x"))) {
          $0.onBad = .collect(writingTo: path)
        }
      }
      #expect(error?.code == .cannotOpen)
      #expect(error?.message.contains(path) == true)
    }
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == pipe)
    #expect(try folder.names().sorted() == ["link", "pipe"])
  }

  // MARK: - Imports

  @Test(
    "12.3 A file of rejects on a full disk ends the import, which leaves nothing",
    .enabled(if: TinyDisk.isPossible, "a volume of its own can only be made by root"))
  func fullRejects() throws {
    let disk = try TinyDisk(size: "64k")
    let path = disk.folder.file("rejects")
    try Data().write(to: URL(fileURLWithPath: path))
    disk.fillUp()
    for kind in [ImportStore.memory, .sqlite, .lmdb] {
      let store = try kind.open(folder)
      let text = lines(1...5) + "\n{\"id\":6,\"stars\":9}\n" + lines(7...9)
      for commit in [ImportCommit.atEnd, .every(2)] {
        try store.deleteAll(Rated.self)
        let error = storeError {
          try store.import(Rated.self, from: .jsonLines(.text(text))) {
            $0.onBad = .collect(writingTo: path)
            $0.commit = commit
            $0.resumes = false
          }
        }
        #expect(error?.code == .full)
        #expect(error?.message.contains(path) == true)
        // The transaction with the bad record leaves nothing, those before it stay.
        #expect(try store.fetch(Rated.all).map(\.id) == (commit == .atEnd ? [] : [1, 2, 3, 4]))
      }
    }
  }

  @Test(
    "12.3 An import into a full store leaves nothing, or whole batches, and goes on with room",
    .enabled(if: TinyDisk.isPossible, "a volume of its own can only be made by root"),
    arguments: [ImportStore.sqlite, .lmdb])
  func fullStores(kind: ImportStore) throws {
    let disk = try TinyDisk(size: "3m")
    let path = disk.folder.file("store")
    let filler = disk.folder.file("filler")
    let source = try folder.write(Data(lines(1...30_000).utf8), "\(kind).jsonl")
    let schema = try Schema(Rated.self, ImportCheckpoint.self)
    let store: any Store =
      try kind == .sqlite
      ? SQLiteStore(path: path, schema: schema) : LMDBStore(path: path, schema: schema)
    try store.save(Rated(id: 1, stars: 5))
    let size = kind == .sqlite ? 2_950_000 : 2_000_000
    try Data(repeating: 0, count: size).write(to: URL(fileURLWithPath: filler))
    func run(_ commit: ImportCommit) throws -> ImportReport {
      try store.import(Rated.self, from: .jsonLines(.file(source))) {
        $0.commit = commit
        $0.prune = .missing(in: Rated.all)
      }
    }
    let whole = storeError { _ = try run(.atEnd) }
    #expect(whole?.code == .full)
    #expect(whole?.store == path)
    #expect(try store.fetch(Rated.all) == [Rated(id: 1, stars: 5)])
    let parts = storeError { _ = try run(.every(500)) }
    #expect(parts?.code == .full)
    #expect(parts?.store == path)
    let count = try store.count(Rated.self)
    #expect(count > 0 && count < 30_000 && count % 500 == 0)
    #expect(try store.fetch(Rated.all).map(\.id) == (1...Int64(count)).map { $0 })
    // Records go on behind the last whole batch.
    try disk.makeRoom()
    let report = try run(.every(500))
    #expect((report.resumedAt, report.read, report.deleted) == (count, 30_000, 0))
    #expect(try store.count(Rated.where { $0.stars == 1 }) == 30_000)
    #expect(try store.count(ImportCheckpoint.self) == 0)
    #expect(try store.check().isSound)
    try store.close()
  }

  @Test(
    "12.3 A memory store past its limit keeps nothing of an import, or whole batches")
  func fullMemory() throws {
    for commit in [ImportCommit.atEnd, .every(50)] {
      let store = MemoryStore(schema: try Schema(Rated.self, ImportCheckpoint.self), limit: 100_000)
      let error = storeError {
        try store.import(Rated.self, from: .jsonLines(.text(lines(1...20_000)))) {
          $0.commit = commit
        }
      }
      #expect(error?.code == .full)
      let count = try store.count(Rated.self)
      #expect(commit == .atEnd ? count == 0 : count > 0 && count % 50 == 0)
    }
  }

  // MARK: - Sources that break off

  @Test(
    "12.3, 12.5 A source that throws ends the import with its error, and nothing is pruned",
    arguments: ImportStore.allCases)
  func throwingSource(kind: ImportStore) async throws {
    let store = try kind.open(folder)
    try await store.save((1...9).map { Rated(id: $0, stars: 5) })
    let texts: [(String, (ImportContent) -> ImportFrom)] = [
      (lines(1...6) + "\n", { .jsonLines($0) }), ("id,stars\n1,1\n2,1\n3,1\n", { .csv($0) }),
      (#"[{"id":1,"stars":1},{"id":2,"stars":1}]"#, { .json($0) }),
    ]
    for (text, form) in texts {
      for commit in [ImportCommit.atEnd, .every(1)] {
        let chunks = AsyncThrowingStream<[UInt8], any Error> { stream in
          for byte in text.utf8 { stream.yield([byte]) }
          stream.finish(throwing: Broken(number: 7))
        }
        await #expect(throws: Broken(number: 7)) {
          try await store.import(Rated.self, from: form(.chunks(chunks))) {
            $0.commit = commit
            $0.prune = .missing(in: Rated.all)
            $0.pruneLimit = 1
            $0.onBad = .collect()
            $0.prunesDespiteBadRecords = true
          }
        }
        #expect(try await store.fetch(Rated.all) == (1...9).map { Rated(id: $0, stars: 5) })
      }
    }
  }

  @Test(
    "12.5 A source that ends too early prunes nothing, whatever it had before",
    arguments: ImportStore.allCases)
  func shortSource(kind: ImportStore) async throws {
    let store = try kind.open(folder)
    func code(_ source: ImportFrom, despite: Bool = false) async throws -> StoreError.Code? {
      try await store.deleteAll(Rated.self)
      try await store.save((1...4).map { Rated(id: $0, stars: 5) })
      do {
        try await store.import(Rated.self, from: source) {
          $0.prune = .missing(in: Rated.all)
          $0.pruneLimit = 1
          $0.onBad = .collect()
          $0.prunesDespiteBadRecords = despite
        }
        return nil
      } catch let error as StoreError {
        #expect(try await store.fetch(Rated.all) == (1...4).map { Rated(id: $0, stars: 5) })
        return error.code
      }
    }
    func cut(_ text: String, by count: Int) -> ImportContent {
      .chunks(
        AsyncStream<[UInt8]> { stream in
          stream.yield(Array(text.utf8.dropLast(count)))
          stream.finish()
        })
    }
    let array = #"[{"id":1,"stars":1},{"id":2,"stars":1}]"#
    for count in 1...21 {
      #expect(try await code(.json(cut(array, by: count)), despite: true) == .invalidImport)
    }
    // A line that is cut is a bad record.
    #expect(try await code(.jsonLines(cut(lines(1...2), by: 3))) == .pruneRefused)
    #expect(try await code(.csv(cut("id,stars\n1,1\n2,\"1\"", by: 1))) == .pruneRefused)
    #expect(try await code(.csv(cut("id,stars\n1,1\n2,1", by: 2))) == .pruneRefused)
    // With all of it, rows 3 and 4 go.
    #expect(try await code(.json(cut(array, by: 0))) == nil)
    #expect(try await store.fetch(Rated.all).map(\.id) == [1, 2])
  }
}
