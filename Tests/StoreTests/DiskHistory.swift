import Foundation
import TestSupport

/// What a process did to the files of a folder, as ``SyncShim`` logged it, and what a disk can hold of it
/// after a power cut.
///
/// The disk is as bad as POSIX allows. Bytes and sizes of a file that were changed since its last sync
/// reach the disk in any selection, in sectors of 512 bytes. A name that was given, moved or removed since
/// the last sync of its folder may or may not be on the disk, each for itself; without a folder's name,
/// nothing in it is there. What a descriptor writes that syncs by itself is there.
struct DiskHistory {
  enum Event: Equatable {
    case write(String, offset: Int, Data)
    case resize(String, Int)
    case sync(String)
    /// The last change of the file was made by a descriptor that syncs by itself.
    case writeThrough(String)
    case makeFolder(String)
    case move(String, to: String)
    /// A second name for a file.
    case link(String, to: String)
    case remove(String)
    case report(String)
  }

  private(set) var events: [Event] = []

  /// Reads a log that was written with `LOG_DATA`.
  ///
  /// - Parameter isLeftOut: true for the paths of files that play no part once no process has them open.
  init(_ log: [String], leavingOut isLeftOut: (String) -> Bool) {
    var source: String?
    for line in log {
      let word = line.prefix { $0 != " " }
      var rest = line.dropFirst(word.count + 1)
      func field() -> Substring {
        let field = rest.prefix { $0 != " " }
        rest = rest.dropFirst(field.count + 1)
        return field
      }
      var offset = 0
      var bytes = Data()
      if word == "data" || word == "size" { offset = Int(field()) ?? 0 }
      if word == "data" { bytes = Self.bytes(field()) }
      let path = String(rest)
      if path.hasSuffix(" (deleted)") || isLeftOut(path) { continue }
      switch word {
      case "data": events.append(.write(path, offset: offset, bytes))
      case "size": events.append(.resize(path, offset))
      case "sync": events.append(.sync(path))
      case "through": events.append(.writeThrough(path))
      case "mkdir": events.append(.makeFolder(path))
      case "from": source = path
      case "rename":
        if let source { events.append(.move(source, to: path)) }
        source = nil
      case "link":
        if let source { events.append(.link(source, to: path)) }
        source = nil
      case "unlink": events.append(.remove(path))
      case "reported": events.append(.report(path))
      default: break
      }
    }
  }

  private static func bytes(_ hex: Substring) -> Data {
    func digit(_ byte: UInt8) -> UInt8 { byte < 58 ? byte - 48 : byte - 87 }
    let digits = Array(hex.utf8)
    return Data(
      stride(from: 0, to: digits.count - 1, by: 2).map {
        digit(digits[$0]) << 4 | digit(digits[$0 + 1])
      })
  }

  /// Calls `body` with the disk after each event and the last report before it.
  ///
  /// - Parameter isIgnored: true for syncs that the disk does not carry out.
  func replay(
    ignoring isIgnored: (Event) -> Bool = { _ in false },
    _ body: (_ position: Int, _ disk: Disk, _ report: String?) throws -> Void
  ) rethrows {
    let disk = Disk()
    var report: String?
    for (position, event) in events.enumerated() {
      if case .report(let text) = event { report = text }
      if !isIgnored(event) { disk.apply(event) }
      try body(position, disk, report)
    }
  }
}

/// What a disk surely holds, and what it may hold besides.
final class Disk {
  /// What becomes of changes that were not synced.
  enum Selection: CaseIterable {
    case none, all
    /// Each with a chance of one half.
    case some
    /// Each sector of each with a chance of one half.
    case sectors
  }

  private struct Change {
    /// Where the bytes go, or the new size if there are none.
    var offset: Int
    var bytes: Data?
    var isSynced = false
  }

  private final class File {
    var content = Data()
    var changes: [Change] = []
  }

  private enum NameChange {
    case add(String, File?)
    case remove(String)
    /// What both names lead to changes at once.
    case move(String, to: String, File?)
  }

  private static let sector = 512
  /// The files by the names that the process sees.
  private var files: [String: File] = [:]
  /// The names that are surely there; folders lead to nothing.
  private var names: [String: File?] = [:]
  private var nameChanges: [NameChange] = []

  fileprivate func apply(_ event: DiskHistory.Event) {
    switch event {
    case .write(let path, let offset, let bytes):
      file(path).changes.append(Change(offset: offset, bytes: bytes))
    case .resize(let path, let size): file(path).changes.append(Change(offset: size))
    case .writeThrough(let path):
      guard let file = files[path], !file.changes.isEmpty else { return }
      file.changes[file.changes.count - 1].isSynced = true
    case .sync(let path):
      if let file = files[path] {
        for change in file.changes { Self.apply(change, to: &file.content) }
        file.changes = []
      } else {
        syncNames(of: path)
      }
    case .makeFolder(let path): nameChanges.append(.add(path, nil))
    case .move(let source, let target):
      guard let file = files.removeValue(forKey: source) else { return }
      files[target] = file
      nameChanges.append(.move(source, to: target, file))
    case .link(let source, let target):
      guard let file = files[source] else { return }
      files[target] = file
      nameChanges.append(.add(target, file))
    case .remove(let path):
      guard files.removeValue(forKey: path) != nil else { return }
      nameChanges.append(.remove(path))
    case .report: break
    }
  }

  private func file(_ path: String) -> File {
    if let file = files[path] { return file }
    let file = File()
    files[path] = file
    nameChanges.append(.add(path, file))
    return file
  }

  private func syncNames(of folder: String) {
    nameChanges = nameChanges.filter { change in
      guard Self.folders(of: change).contains(folder) else { return true }
      Self.apply(change, to: &names)
      return false
    }
  }

  private static func folders(of change: NameChange) -> [String] {
    switch change {
    case .add(let path, _), .remove(let path): [parent(of: path)]
    case .move(let source, let target, _): [parent(of: source), parent(of: target)]
    }
  }

  static func parent(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
  }

  private static func apply(_ change: NameChange, to names: inout [String: File?]) {
    switch change {
    case .add(let path, let file): names[path] = .some(file)
    case .remove(let path): names[path] = nil
    case .move(let source, let target, let file):
      names[source] = nil
      names[target] = .some(file)
    }
  }

  private static func apply(_ change: Change, to content: inout Data) {
    guard let bytes = change.bytes else {
      if content.count > change.offset { content.removeSubrange(change.offset...) }
      grow(&content, to: change.offset)
      return
    }
    let end = change.offset + bytes.count
    grow(&content, to: end)
    content.replaceSubrange(change.offset..<end, with: bytes)
  }

  private static func grow(_ content: inout Data, to count: Int) {
    if content.count < count { content.append(Data(count: count - content.count)) }
  }

  /// Writes the files that the disk may hold after a power cut, `root` instead of the folder that
  /// the process had.
  func write(
    _ selection: Selection, of folder: String, to root: String,
    using generator: inout some RandomNumberGenerator
  ) throws {
    func isKept() -> Bool {
      switch selection {
      case .none: false
      case .all: true
      case .some, .sectors: Bool.random(using: &generator)
      }
    }
    var found = names
    for change in nameChanges where isKept() { Self.apply(change, to: &found) }
    for (path, file) in found.sorted(by: { $0.key < $1.key }) {
      // Without its folder, a name is not there.
      var above = Self.parent(of: path)
      while above.utf8.count > folder.utf8.count, found[above] != nil {
        above = Self.parent(of: above)
      }
      guard above == folder else { continue }
      let target = root + path.dropFirst(folder.count)
      guard let file else {
        try FileManager.default.createDirectory(
          atPath: target, withIntermediateDirectories: true)
        continue
      }
      var content = file.content
      for change in file.changes {
        if change.isSynced {
          Self.apply(change, to: &content)
        } else if selection == .sectors, let bytes = change.bytes {
          for part in Self.sectors(change.offset, bytes) where isKept() {
            Self.apply(part, to: &content)
          }
        } else if isKept() {
          Self.apply(change, to: &content)
        }
      }
      try content.write(to: URL(fileURLWithPath: target))
    }
  }

  /// The parts of a write that lie in one sector each.
  private static func sectors(_ offset: Int, _ bytes: Data) -> [Change] {
    var parts: [Change] = []
    var place = 0
    while place < bytes.count {
      let end = min(bytes.count, place + sector - (offset + place) % sector)
      parts.append(Change(offset: offset + place, bytes: bytes[place..<end]))
      place = end
    }
    return parts
  }
}
