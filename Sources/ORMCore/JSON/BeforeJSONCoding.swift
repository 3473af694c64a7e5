// Goes away with the commit that brings JSONCoding and JSONText.
import FoundationEssentials
enum JSONCoding { static func encode<T: Encodable>(_ v: T) throws -> String { "" }; static func decode<T: Decodable>(_ t: T.Type, from: String) throws -> T { throw StoredValue.notANumber } }
enum JSONText { static func value(at: [JSONStep], in: UnsafeRawBufferPointer) -> StoredValue { .null } }
