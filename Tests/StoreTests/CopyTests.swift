import Foundation
import MemoryBackend
import ORM
import StoreModels
import TestSupport
import Testing

/// Copies keep more than the rows: clause 5.5.
@Suite struct CopyTests {
  private static let pairs = FileStore.inPlace.flatMap { from in
    FileStore.inPlace.map { (from, $0) }
  }

  @Test("5.5: a copy generates no key that its original has given out", arguments: pairs)
  func keys(_ from: FileStore, _ to: FileStore) throws {
    let folder = TestFolder(inMemory: true)
    let source = try from.open(folder.file("source"))
    try source.insert((0..<5).map { Entry(1, $0) })
    try source.delete(Entry.self, ids: [4, 5])
    var target = try to.open(folder.file("target"))
    try StoreCopy(from: source, to: target).run()
    #expect(try target.fetch(Entry.all).map(\.id) == [1, 2, 3])
    try target.close()
    target = try to.open(folder.file("target"))
    #expect(try target.insert(Entry(2, 0)).id == 6)
    #expect(try source.insert(Entry(2, 0)).id == 6)
    try source.close()
    try target.close()
  }

  @Test("5.5: through memory and its image too, where all rows are gone")
  func imageKeys() throws {
    let folder = TestFolder(inMemory: true)
    let source = try FileStore.sqlite.open(folder.file("source"))
    try source.insert((0..<5).map { Entry(1, $0) })
    try source.deleteAll(Entry.self)
    let copy = MemoryStore(schema: try StoreModels.schema())
    try StoreCopy(from: source, to: copy).run()
    try copy.write(to: folder.file("new/folder/image"))
    let image = try FileStore.memory.open(folder.file("new/folder/image"))
    #expect(try image.insert(Entry(2, 0)).id == 6)
    try source.close()
  }
}
